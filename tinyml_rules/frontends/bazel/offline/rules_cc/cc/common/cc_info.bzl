"""CcInfo, which Bazel 4 has built in."""

load("//cc:built_in.bzl", "built_in")

CcInfo = built_in.CcInfo
