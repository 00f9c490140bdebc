"""The weighted sum, which several operators are."""
