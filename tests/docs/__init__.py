"""Tests of README.md and docs/: that links lead somewhere, and that what is said there holds."""
