"""Tests of what single parts have: their startup code, formats, instructions."""
