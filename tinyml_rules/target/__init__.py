"""A part: its target.toml, its toolchain and its equipment."""
