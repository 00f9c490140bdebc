"""Facts about a model before anything is compiled."""
