"""The .tflite format: a bounds-checked cursor, the reader of files, and their writer."""
