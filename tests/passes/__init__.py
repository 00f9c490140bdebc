"""Passes: Graph -> Graph."""
