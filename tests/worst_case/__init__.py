"""Tests of bounds for the time of an inference."""
