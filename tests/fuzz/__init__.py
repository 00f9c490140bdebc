"""Coverage-guided fuzzing of all that reads what it does not trust: `./tinyml fuzz`."""
