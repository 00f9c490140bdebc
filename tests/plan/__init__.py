"""Tests of the memory planner and of its proof."""
