"""Graph -> Program: which kernels run, and where their constants live."""
