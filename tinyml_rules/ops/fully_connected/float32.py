"""FULLY_CONNECTED of real numbers: what may be wrong with a node, and its constants.

The sums are float32, in the order of the inputs; the bias is added last, as in TFLM, so that every
machine with IEEE arithmetic gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.fixed_point import CLAMPING_ACTIVATIONS, Activation
from tinyml_rules.ir.c_struct import Float32, Int
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.accumulate import weighted_macs
from tinyml_rules.ops.fully_connected.op import Attrs, check_vectors

_RANK = 2
_MOST = float(np.finfo(np.float32).max)
_BOUNDS = {
    Activation.NONE: (-_MOST, _MOST),
    Activation.RELU: (0.0, _MOST),
    Activation.RELU_N1_TO_1: (-1.0, 1.0),
    Activation.RELU6: (0.0, 6.0),
}
"""Without an activation an infinite sum becomes the greatest number, as in TFLM."""


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct; weights is [output_count][input_count]."""

    weights: Array
    bias: Array
    clamp_min: Float32
    clamp_max: Float32
    input_count: Int
    output_count: Int


def takes(view: NodeView) -> bool:
    """Input and weights are real numbers."""
    return all(view.input(place).dtype is DType.FLOAT32 for place in (0, 1))


def check(view: NodeView) -> Iterator[str]:
    """float32; constant weights and bias; an activation that clamps."""
    attrs, weights, bias = view.node.attrs, view.input(1), view.optional_input(2)
    assert isinstance(attrs, Attrs)
    yield from constraints.plain(view.input(0), "input", DType.FLOAT32)
    yield from constraints.plain(view.output, "output", DType.FLOAT32)
    if not weights.is_constant:
        yield f"weights tensor {weights} is computed at run time, expected a constant"
    if attrs.activation not in CLAMPING_ACTIVATIONS:
        yield from constraints.fused_activation(attrs.activation, view.output)
    if len(weights.shape) != _RANK:
        yield f"weights tensor {weights} has {len(weights.shape)} dimensions, expected {_RANK}"
        return
    if bias is not None:
        wrong = list(constraints.typed(bias, "bias", DType.FLOAT32))
        yield from wrong or constraints.bias_values(bias, count=weights.shape[0])
    yield from check_vectors(view)


def prepare(view: NodeView) -> Work:
    """One unit is one input vector."""
    attrs, source, weights, bias = (
        view.node.attrs,
        view.input(0),
        view.input(1),
        view.optional_input(2),
    )
    assert isinstance(attrs, Attrs) and weights.data is not None
    output_count, input_count = weights.shape
    base = None if bias is None else bias.data
    clamp_min, clamp_max = _BOUNDS[Activation(attrs.activation)]
    params = Params(
        weights=weights.data,
        bias=np.zeros(output_count, np.float32) if base is None else base.reshape(-1),
        clamp_min=clamp_min,
        clamp_max=clamp_max,
        input_count=input_count,
        output_count=output_count,
    )
    return Work(
        params=params,
        inputs=(source.index,),
        outputs=(view.output.index,),
        units=source.count // input_count,
        macs=weighted_macs(view),
    )
