"""The weighted sum, which several operators are: what it is, and what kernels ask of it."""
