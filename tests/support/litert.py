"""Runs a .tflite file through LiteRT's reference kernels, for what TFLM does not have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from ai_edge_litert.interpreter import Interpreter, OpResolverType

AnyArray = npt.NDArray[Any]


def litert_outputs(
    model: bytes,
    inputs: Sequence[AnyArray],
    *,
    is_sequence: bool = False,
    resolver: OpResolverType = OpResolverType.BUILTIN_REF,
) -> list[AnyArray]:
    """The model's outputs in order, each with the leading axis of N samples that `inputs` have.

    As `tflm_outputs`; raises RuntimeError or ValueError for a model that LiteRT refuses."""
    interpreter = Interpreter(model_content=model, experimental_op_resolver_type=resolver)
    interpreter.allocate_tensors()
    sources = [each["index"] for each in interpreter.get_input_details()]
    results = [each["index"] for each in interpreter.get_output_details()]
    assert len(inputs) == len(sources), "one array per input"
    (count,) = {len(array) for array in inputs}
    outputs: list[list[AnyArray]] = [[] for _ in results]
    for sample in range(count):
        if not is_sequence:
            interpreter.reset_all_variables()
        for index, array in zip(sources, inputs, strict=True):
            interpreter.set_tensor(index, np.array(array[sample], order="C"))
        interpreter.invoke()
        for values, index in zip(outputs, results, strict=True):
            values.append(interpreter.get_tensor(index))
    return [np.stack(values) for values in outputs]
