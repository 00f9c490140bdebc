"""The Bazel rules: on the Bazel that Debian has, and against what newer ones take."""
