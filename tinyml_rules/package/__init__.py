"""A compiled model as a library that other ecosystems take as it is, for users without a build step
in Python: `tinyml_rules package KIND MODEL.tflite`."""
