"""Tests of the memory planner, of every schedule, and of the proof."""
