"""Tests of target files and toolchains."""
