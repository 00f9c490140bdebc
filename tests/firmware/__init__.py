"""Tests of how a firmware is linked, measured and written for a board."""
