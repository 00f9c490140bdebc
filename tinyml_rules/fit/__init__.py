"""What would make a model fit that does not: ways that were planned, parts with room."""
