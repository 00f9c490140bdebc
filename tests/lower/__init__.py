"""Tests of what comes between passes and plan: weights beyond the first 64 kB of flash."""
