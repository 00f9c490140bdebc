"""The live page, in a real browser and byte by byte."""
