"""cc_common, which Bazel 4 has built in."""

load("//cc:built_in.bzl", "built_in")

cc_common = built_in.cc_common
