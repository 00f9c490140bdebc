"""Models whose scales are powers of two, made of models with any scales."""

# mypy: allow-untyped-calls
# (the package tflite carries no types)

from __future__ import annotations

import numpy as np
import tflite

_BIASED = (
    tflite.BuiltinOperator.CONV_2D,
    tflite.BuiltinOperator.DEPTHWISE_CONV_2D,
    tflite.BuiltinOperator.FULLY_CONNECTED,
)


def with_powers_of_two(model: bytes) -> bytes:
    """The file with the nearest power of two in the place of every scale, a bias's as its operator
    has it; all integers stay, so that it does other things in as many steps."""
    changed = bytearray(model)  # which the arrays of scales are views of
    root = tflite.Model.GetRootAs(changed, 0)
    graph = root.Subgraphs(0)
    for index in range(graph.TensorsLength()):
        scales = _scales(graph, index)
        if scales is not None:
            scales[:] = np.exp2(np.round(np.log2(scales)))
    for index in range(graph.OperatorsLength()):
        node = graph.Operators(index)
        code = root.OperatorCodes(node.OpcodeIndex())
        kind = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
        if kind in _BIASED and node.InputsLength() > 2 and node.Inputs(2) >= 0:
            source, weights, bias = (_scales(graph, node.Inputs(each)) for each in range(3))
            if source is not None and weights is not None and bias is not None:
                bias[:] = source * weights
    return bytes(changed)


def _scales(
    graph: tflite.SubGraph, index: int
) -> np.ndarray[tuple[int], np.dtype[np.float32]] | None:
    quantization = graph.Tensors(index).Quantization()
    if quantization is None or quantization.ScaleLength() == 0:
        return None
    scales: np.ndarray[tuple[int], np.dtype[np.float32]] = quantization.ScaleAsNumpy()
    return scales
