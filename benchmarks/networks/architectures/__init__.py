"""One architecture a module, found by being there: `ARCHITECTURE` is what it has."""
