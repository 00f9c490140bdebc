"""Continuous integration."""
