"""A microphone in front of a model: features as the library makes them, and what comes of them."""
