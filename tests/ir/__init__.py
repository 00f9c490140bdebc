"""Tests of the data that flows through the compiler."""
