"""cc_library, which Bazel 4 has built in."""

cc_library = native.cc_library
