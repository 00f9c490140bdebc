"""A part: its target.toml, its tool chain, and what surrounds it."""
