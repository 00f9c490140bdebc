"""cc_test, which Bazel 4 has built in."""

cc_test = native.cc_test
