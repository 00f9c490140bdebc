"""The page of a report: what it says, and how it stands in a real browser."""
