"""Whose integers a model gives, where TFLM and LiteRT differ."""
