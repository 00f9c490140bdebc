"""Decisions from a model's outputs, in integers: the arithmetic, and the heads of one model."""
