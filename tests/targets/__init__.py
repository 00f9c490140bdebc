"""Tests of targets, toolchains, sizes and runners."""
