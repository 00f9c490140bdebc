"""Nodes of random graphs: a builder for every shape of operator, and the operators it serves."""
