"""The sine predictor: `python -m models.sine.train` writes sine.tflite."""
