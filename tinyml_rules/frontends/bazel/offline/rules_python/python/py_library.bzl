"""py_library, which Bazel 4 has built in."""

py_library = native.py_library
