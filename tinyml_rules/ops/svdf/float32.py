"""SVDF of real numbers: its constants, and the same in numpy, by the sums of
`EvalFloatSvdfReference` of TFLM."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared.operands import real
from tinyml_rules.ops._shared.products import sums_of_products
from tinyml_rules.ops.svdf.op import Attrs, check_shapes, macs, output_shape, state_type, units_of


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct; weights is [filters][input_count], times [filters][memory]."""

    weights: Array
    times: Array
    bias: Array
    batches: Int
    units: Int
    rank: Int
    memory: Int
    input_count: Int
    is_clamped: Int
    """Whether results below 0 become 0."""


_MATRIX = range(2, 3)
OPERANDS = {
    "input": real(ranks=_MATRIX),
    "weights": real(is_constant=True, ranks=_MATRIX),
    "time weights": real(is_constant=True, ranks=_MATRIX),
    "bias": real(is_constant=True, count=units_of),
    "state": real(is_state=True),
    "output": real(shape=output_shape),
}


def takes(view: NodeView) -> bool:
    """Whether input and state are float32."""
    return view["input"].dtype is state_type(view) is DType.FLOAT32


def check(view: NodeView) -> Iterator[str]:
    """Shapes that agree."""
    yield from check_shapes(view)


def prepare(view: NodeView) -> Work:
    """The whole batch at once."""
    attrs, source, state = view.node.attrs, view["input"], view["state"]
    weights, times, bias = (view[name].data for name in ("weights", "time weights", "bias"))
    assert isinstance(attrs, Attrs)
    assert weights is not None and times is not None and bias is not None
    params = Params(
        weights=weights,
        times=times,
        bias=bias.reshape(-1),
        batches=source.shape[0],
        units=units_of(view),
        rank=attrs.rank,
        memory=times.shape[1],
        input_count=weights.shape[1],
        is_clamped=int(attrs.activation == Activation.RELU),
    )
    return Work(
        params=params,
        inputs=(source.index, state.index),
        outputs=(view.output.index,),
        macs=macs(view),
    )


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, Array]:
    """The output and the new state, both shaped like their tensors."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    image, weights, times, bias, state = (
        values[view[name].index].astype(np.float32)
        for name in ("input", "weights", "time weights", "bias", "state")
    )
    batches, filters = image.shape[0], weights.shape[0]
    made = sums_of_products(image, weights)
    before = state.reshape(batches, filters, -1)
    kept = np.concatenate([before[:, :, 1:], made[:, :, np.newaxis]], axis=2)
    with np.errstate(over="ignore", invalid="ignore"):
        zeros = np.zeros((*kept.shape[:2], 1), np.float32)
        weighed = np.add.accumulate(np.concatenate([zeros, kept * times], axis=2), axis=2)[:, :, -1]
        first = np.broadcast_to(bias.reshape(1, -1, 1), (batches, bias.size, 1))
        terms = np.concatenate([first, weighed.reshape(batches, bias.size, -1)], axis=2)
        sums = np.add.accumulate(terms, axis=2)[:, :, -1]
        if attrs.activation == Activation.RELU:
            sums = np.where(sums > 0, sums, np.float32(0))
    return sums, kept.reshape(state.shape)
