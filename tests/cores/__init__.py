"""Tests of the cores, and of how they have their weights."""
