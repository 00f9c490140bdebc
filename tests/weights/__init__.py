"""Tests of models whose weights lie outside flash."""
