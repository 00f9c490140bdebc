"""TFLM's numbers in numpy, bit for bit."""
