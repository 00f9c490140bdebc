"""tinyml_rules: compile a .tflite model, as a build step, into static C for microcontrollers.

The way through the package is `compiler.py`: read that file first.
"""

__version__ = "0.2.0"
