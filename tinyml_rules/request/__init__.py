"""The request of a compilation, and its options."""
