"""Bazel: the rules as another repository uses them, a cache and a grid of workers."""
