"""IN OUT: a file of torch.export -> .tflite, with the litert_torch of the Python that runs this.
Nothing else of this package is imported."""

import sys
from importlib import import_module

model, out = sys.argv[1:]
torch = import_module("torch")
litert_torch = import_module("litert_torch")
program = torch.export.load(model)
if program.example_inputs is None:
    sys.exit("ValueError: the file has no example inputs, which the converter needs")
args, kwargs = program.example_inputs
litert_torch.convert(program.module(), args, kwargs or None).export(out)
