"""A firmware that looks whether its model is intact."""
