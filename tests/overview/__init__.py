"""Tests of what is shown of a model before it is compiled."""
