"""Architectures that people use, small, with random weights and scales as a converter sets them."""
