"""Tests of accuracy budgets."""
