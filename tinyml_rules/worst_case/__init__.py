"""Bounds for the time of an inference: the linked program runs in an abstract processor."""
