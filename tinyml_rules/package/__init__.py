"""A compiled model as a library that other ecosystems take as it is, for who has no build step in
Python: `tinyml_rules package KIND MODEL.tflite`."""
