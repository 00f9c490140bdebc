"""The model in parts: real numbers to integers, the core, integers to real numbers."""
