"""Tests of the models folder."""
