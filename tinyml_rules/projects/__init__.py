"""A new firmware around a model, as a folder that builds and tests at once, or the lines that a
firmware gets that exists: `tinyml_rules init KIND MODEL.tflite`."""
