"""py_runtime, which Bazel 4 has built in."""

py_runtime = native.py_runtime
