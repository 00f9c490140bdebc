"""Random models of many operators."""
