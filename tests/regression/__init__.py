"""One folder a fault, one runner for all: see README.md."""
