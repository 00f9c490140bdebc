"""The examples that begin with a float model."""
