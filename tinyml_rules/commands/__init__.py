"""Commands that are more than a call: their options, and the text that they print."""
