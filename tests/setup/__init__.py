"""The set-up: `./tinyml` in clones, as it runs before any package is installed."""
