"""A float .tflite file and samples of its inputs -> a full-integer file.

`quantize.py` is the whole way: read it first."""
