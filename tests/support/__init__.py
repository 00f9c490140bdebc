"""What several tests need: building small models, running TFLM, features of speech."""
