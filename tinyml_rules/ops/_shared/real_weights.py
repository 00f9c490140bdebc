"""What may be wrong with a node that sums products of real numbers and constant weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.fixed_point import CLAMPING_ACTIVATIONS
from tinyml_rules.ir.c_struct import Float32
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.activated import plain_bounds


def takes_real_weights(view: NodeView) -> bool:
    """Input and weights are real numbers."""
    return all(view.input(place).dtype is DType.FLOAT32 for place in (0, 1))


def check_real_weights(
    view: NodeView, *, axis: int, rank: int, activation: int, may_be_computed: bool = False
) -> Iterator[str]:
    """float32 input, weights and output; weights of the rank, and a bias with a value for each of
    their outputs, which are along `axis`: constants unless they `may_be_computed`; an activation
    that clamps."""
    weights, bias = view.input(1), view.optional_input(2)
    yield from constraints.plain(view.input(0), "input", DType.FLOAT32)
    yield from constraints.plain(view.output, "output", DType.FLOAT32)
    if may_be_computed:
        yield from constraints.constant_or_computed(weights, "weights")
    elif not weights.is_constant:
        yield f"weights tensor {weights} is computed at run time, expected a constant"
    if activation not in CLAMPING_ACTIVATIONS:
        yield from constraints.fused_activation(activation, view.output)
    if len(weights.shape) != rank:
        yield f"weights tensor {weights} has {len(weights.shape)} dimensions, expected {rank}"
        return
    if bias is not None:
        wrong = list(constraints.typed(bias, "bias", DType.FLOAT32))
        yield from wrong or constraints.bias_values(
            bias, count=weights.shape[axis], may_be_computed=may_be_computed
        )


@dataclass(frozen=True, eq=False)
class RealParams:
    """Members of the C struct."""

    weights: Array
    bias: Array
    clamp_min: Float32
    clamp_max: Float32


def real_params(view: NodeView, *, weights: Array, outputs: int, activation: int) -> RealParams:
    """The weights of a checked node as its kernel has them; a bias, and what the activation leaves:
    without one an infinite sum becomes the greatest number, as in TFLM."""
    bias = view.optional_input(2)
    base = None if bias is None else bias.data
    clamp_min, clamp_max = plain_bounds(activation, DType.FLOAT32)
    return RealParams(
        weights=weights,
        bias=np.zeros(outputs, np.float32) if base is None else base.reshape(-1),
        clamp_min=clamp_min,
        clamp_max=clamp_max,
    )


def finite_weights(view: NodeView) -> Iterator[str]:
    """Weights with which a cell outside the image, taken for 0, adds nothing."""
    data = view.input(1).data
    if data is not None and data.dtype == np.float32 and not np.isfinite(data).all():
        yield f"weights tensor {view.input(1)} has a value that is not a finite number"
