"""Options of a compilation two by two: every pair of values that goes together, run."""
