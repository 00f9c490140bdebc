"""Bounds for the values of a graph's tensors, for all inputs."""
