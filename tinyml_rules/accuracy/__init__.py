"""How often a model is right, or how near to real numbers, and the bounds of a build for it."""
