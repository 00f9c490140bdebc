"""Which cases tell the references apart, and what LiteRT leaves open."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from tests.support.operator_cases import cases_of, litert_bytes
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, Reference

DIFFERING = (
    *("abs", "batch_matmul", "div", "fully_connected", "leaky_relu", "logistic", "mul", "prelu"),
    *("relu", "softmax", "tanh"),
)
"""Operators of which LiteRT's reference kernels give other integers than TFLM's."""
REFUSED = ("sum",)
"""Operators whose int8 and int16 LiteRT's reference kernel takes for something else."""
UNKNOWN = ("svdf",)
"""Operators whose int8 LiteRT reads as int16, beyond the end of a tensor: no reference, and it may
end the process."""


def compared(cases: Mapping[str, Case]) -> Iterator[tuple[str, Case, bytes]]:
    """(name, case, LiteRT's bytes) of those that have integers alone, and that LiteRT defines."""
    for name, case in cases.items():
        has_reals = any(tensor.dtype == "float32" for tensor in case.model.tensors)
        if case.reference is not Reference.TFLM or has_reals or saturates(case.model):
            continue
        if is_for_tflm_alone(case.model):
            continue
        found = litert_bytes(case)
        if found is not None:
            yield name, case, found


def of_operator(operator: str) -> Iterator[tuple[str, Case, bytes]]:
    """Those of one operator's folder."""
    return compared(cases_of(operator))


def is_for_tflm_alone(model: ModelSpec) -> bool:
    """Whether the sums of int16 are refused unless TFLM is the reference: of products, or of two
    tensors where all scales are powers of two."""
    node, source = model.operators[0], model.tensors[0]
    if node.name in ("ADD", "SUB") and source.dtype == "int16":
        return all(math.frexp(each.scales[0])[0] == 0.5 for each in model.tensors)
    has_short_bias = any(
        model.tensors[index].dtype == "int32" for index in node.inputs[2:] if index >= 0
    )
    is_weighted = node.name in ("CONV_2D", "FULLY_CONNECTED")
    is_refused = node.name == "FULLY_CONNECTED" or has_short_bias
    return is_weighted and source.dtype == "int16" and is_refused


def saturates(model: ModelSpec) -> bool:
    """Whether int32 may not hold what a sum of FULLY_CONNECTED is rescaled to: LiteRT converts a
    double, which C++ does not define."""
    (node,) = model.operators[:1]
    if node.name != "FULLY_CONNECTED":
        return False
    source, weights, *rest = (model.tensors[index] for index in node.inputs if index >= 0)
    result = model.tensors[node.outputs[0]]
    if not (source.scales and weights.scales and result.scales):
        return False
    bias = rest[0].data if rest else np.zeros(1)
    most = 2.0**31 if bias is None else float(np.abs(np.asarray(bias, np.float64)).max())
    most += weights.shape[-1] * 255.0 * 255.0
    return most * source.scales[0] * max(weights.scales) / result.scales[0] >= 2.0**31
