"""Runs a .tflite file through the Python interpreter of TensorFlow Lite for Microcontrollers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import tflite
from tflite_micro.python.tflite_micro import runtime

AnyArray = npt.NDArray[Any]

ARENA_BYTES = 8 * 1024 * 1024  # its own guess, ten times the file, is too small for small files


def tflm_outputs(
    model: bytes, inputs: Sequence[AnyArray], *, is_sequence: bool = False
) -> list[AnyArray]:
    """The model's outputs in order, each with the leading axis of N samples that `inputs` have.

    `inputs` holds one array per input of the model, of shape (N, *shape) and the tensor's type.
    Variables start fresh for every sample unless `is_sequence`.  TFLM itself checks shapes and
    types, and raises when it refuses them or the model.  The outputs of an inference that an
    operator ends early are zeros.
    """
    interpreter = runtime.Interpreter.from_bytes(model, arena_size=ARENA_BYTES)
    graph = tflite.Model.GetRootAs(model).Subgraphs(0)
    assert len(inputs) == graph.InputsLength(), "one array per input"
    (count,) = {len(array) for array in inputs}
    outputs: list[list[AnyArray]] = [[] for _ in range(graph.OutputsLength())]
    for sample in range(count):
        if not is_sequence:
            interpreter.reset()
        for index, array in enumerate(inputs):
            # Copied in C order; ascontiguousarray would make a scalar an array of rank 1.
            interpreter.set_input(np.array(array[sample], order="C"), index)
        is_new = interpreter.invoke() == 0
        for index, results in enumerate(outputs):
            values = interpreter.get_output(index)
            results.append(values if is_new else np.zeros_like(values))
    return [np.stack(results) for results in outputs]
