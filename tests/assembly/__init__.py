"""What inline assembly declares, against what its instructions do."""
