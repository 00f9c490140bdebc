"""From the bytes of a sensor to a decision: random descriptions, next to exact arithmetic."""
