"""MUL of int32, which have no scale: the product wraps, then the activation clamps it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT32_MAX, INT32_MIN, Activation, wrap_int32
from tinyml_rules.ir.c_struct import Int32
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.broadcast import check_broadcast
from tinyml_rules.ops.mul.op import Attrs

BOUNDS = {
    Activation.NONE: (INT32_MIN, INT32_MAX),
    Activation.RELU: (0, INT32_MAX),
    Activation.RELU6: (0, 6),
    Activation.RELU_N1_TO_1: (-1, 1),
}


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    clamp_min: Int32
    clamp_max: Int32


def is_plain(view: NodeView) -> bool:
    """The first input has plain numbers."""
    return view.input(0).dtype is DType.INT32


def check(view: NodeView) -> Iterator[str]:
    """int32; shapes that broadcast to the output's."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    for tensor, role in (
        *((view.input(0), "first input"), (view.input(1), "second input")),
        (view.output, "output"),
    ):
        yield from constraints.plain(tensor, role, DType.INT32)
    yield from constraints.fused_activation(attrs.activation, view.output)
    yield from check_broadcast(view)


def params_of(view: NodeView) -> Params:
    """The bounds are plain numbers, too."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    return Params(*BOUNDS[Activation(attrs.activation)])


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    first, second = (values[view.input(place).index].astype(np.int64) for place in (0, 1))
    least, greatest = BOUNDS[Activation(attrs.activation)]
    return np.clip(wrap_int32(first * second), least, greatest).astype(np.int32)
