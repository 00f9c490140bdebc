"""How the names of files end that models are read from.  Imports nothing: build systems ask."""

SUFFIX = ".tflite"
C_SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".ino")
"""Of C source that has a model as an array."""
SUFFIXES = (SUFFIX, *C_SUFFIXES)
