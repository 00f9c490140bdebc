"""Which kernel is fastest for each layer of a model, by running them on the target's emulator."""
