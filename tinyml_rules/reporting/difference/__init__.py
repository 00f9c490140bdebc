"""What changed between two reports of a model: totals, and what they are made of."""
