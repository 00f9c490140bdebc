"""Which kernels are fastest, and the file that keeps them."""
