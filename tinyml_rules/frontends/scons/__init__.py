"""The SCons tool `tinyml`: .tflite as a source suffix, and builders for firmware and tests."""
