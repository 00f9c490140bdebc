"""py_test, which Bazel 4 has built in."""

py_test = native.py_test
