"""Finds the fastest kernel of each layer of a model by running all on the target's emulator."""
