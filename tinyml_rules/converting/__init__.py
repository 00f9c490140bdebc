"""A model of another framework to a .tflite file, by that framework's own converter."""
