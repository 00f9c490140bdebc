"""Compares the tensors of a device with those of a reference."""
