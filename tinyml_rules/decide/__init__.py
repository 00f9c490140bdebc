"""Decisions from a model's outputs, in integers: what is asked for, and its arithmetic."""
