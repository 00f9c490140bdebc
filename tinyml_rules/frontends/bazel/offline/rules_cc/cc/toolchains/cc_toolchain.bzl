"""cc_toolchain, which Bazel 4 has built in."""

cc_toolchain = native.cc_toolchain
