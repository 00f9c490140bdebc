"""cc_binary, which Bazel 4 has built in."""

cc_binary = native.cc_binary
