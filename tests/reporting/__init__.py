"""Tests of the memory picture, of the advice beside it, and of the RAM that is reported."""
