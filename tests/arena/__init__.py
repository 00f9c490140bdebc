"""Where the arena lives: the model's own, the caller's, shared, and in further regions."""
