"""FULLY_CONNECTED of real numbers: what may be wrong with a node, and its constants.

The sums are float32, in the order of the inputs; the bias is added last, as in TFLM, so that every
machine with IEEE arithmetic gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared.accumulate import weighted_macs
from tinyml_rules.ops._shared.real_weights import RealParams, check_real_weights, real_params
from tinyml_rules.ops.fully_connected.op import Attrs, check_vectors

_RANK = 2


@dataclass(frozen=True, eq=False)
class Params(RealParams):
    """Members of the C struct; weights is [output_count][input_count]."""

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
    attrs, source, weights = view.node.attrs, view.input(0), view.input(1)
    assert isinstance(attrs, Attrs) and weights.data is not None
    output_count, input_count = weights.shape
    shared = real_params(
        view, weights=weights.data, outputs=output_count, activation=attrs.activation
    )
    params = Params(
        **vars(shared),
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
