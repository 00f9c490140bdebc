"""Tests of `convert`, which runs the converters of other frameworks."""
