"""Tests of `scons matrix`: every model on every target."""
