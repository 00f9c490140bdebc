"""The options of a compilation and its outputs, as every way in takes them."""
