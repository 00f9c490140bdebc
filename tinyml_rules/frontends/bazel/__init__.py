"""The Bazel rules, and the programs that their actions run."""
