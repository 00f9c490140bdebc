"""Tests of the commands that are more than a call."""
