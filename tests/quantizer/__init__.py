"""The quantizer: against LiteRT, TFLM and what TensorFlow makes of the same models."""
