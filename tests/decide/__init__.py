"""Decisions from outputs, compared with TFLM, numpy and exact rational numbers."""
