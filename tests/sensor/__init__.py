"""Raw values of sensors: what the C makes of them, and what is wrong with a description."""
