"""Tests of what is said of a model that does not fit."""
