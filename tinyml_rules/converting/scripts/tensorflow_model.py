"""KIND IN OUT: a Keras file or the folder of a SavedModel -> .tflite, with the TensorFlow of the
Python that runs this.  Nothing else of this package is imported."""

import sys
from importlib import import_module
from pathlib import Path

kind, model, out = sys.argv[1:]
tf = import_module("tensorflow")
if kind == "keras":
    loaded = tf.keras.models.load_model(model, compile=False)
    converter = tf.lite.TFLiteConverter.from_keras_model(loaded)
else:
    converter = tf.lite.TFLiteConverter.from_saved_model(model)
Path(out).write_bytes(converter.convert())
