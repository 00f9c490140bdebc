"""Alternatives for a model that does not fit: other settings, each planned, and larger parts."""
