"""py_binary, which Bazel 4 has built in."""

py_binary = native.py_binary
