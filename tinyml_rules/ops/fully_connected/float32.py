"""FULLY_CONNECTED of real numbers: what may be wrong with a node, and its constants.

The sums are float32, in the order of the inputs; the bias is added last, as in TFLM, so that every
machine with IEEE arithmetic gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.c_struct import Float32, Int
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared.accumulate import weighted_macs
from tinyml_rules.ops._shared.activated import plain_bounds
from tinyml_rules.ops._shared.real_weights import check_real_weights
from tinyml_rules.ops.fully_connected.op import Attrs, check_vectors

_RANK = 2


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct; weights is [output_count][input_count]."""

    weights: Array
    bias: Array
    clamp_min: Float32
    clamp_max: Float32
    input_count: Int
    output_count: Int


def check(view: NodeView) -> Iterator[str]:
    """float32; constant weights and bias; an activation that clamps."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    yield from check_real_weights(view, axis=0, rank=_RANK, activation=attrs.activation)
    if len(view.input(1).shape) == _RANK:
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
    clamp_min, clamp_max = plain_bounds(attrs.activation, DType.FLOAT32)
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
