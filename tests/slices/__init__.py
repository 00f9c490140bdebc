"""Inferences in slices, compared with TFLM's inferences as a whole."""
