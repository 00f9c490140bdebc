"""Which values the tensors of a graph can have."""
