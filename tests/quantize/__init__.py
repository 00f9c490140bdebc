"""From float32 models to integer ones."""
