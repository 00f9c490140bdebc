"""What a person wants to know of a model before anything is compiled."""
