"""Tests of every error that a person may see."""
