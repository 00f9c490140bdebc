"""Windows that slide over a stream of pushed rows."""
