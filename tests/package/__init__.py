"""Tests of packages for other ecosystems."""
