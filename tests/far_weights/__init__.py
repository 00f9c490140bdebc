"""Tests of weights beyond the first 64 kB of flash."""
