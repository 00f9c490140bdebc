"""SignalWindow: each vector times one of weights, shifted to the right and clamped to int16."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.ir.c_struct import Int, UInt8
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import OrderedOptions
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ops._shared.operands import VECTORS, numbers, plain
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.signal import constant_inputs, out_of_range, shaped, work_of


@dataclass(frozen=True)
class Attrs(OrderedOptions):
    """The FlexBuffer's map: how far products are shifted."""

    shift: int


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct."""

    weights: Array
    length: Int
    shift: UInt8


OPERANDS = {
    "input": plain(DType.INT16, ranks=VECTORS),
    "weights": numbers(DType.INT16, ranks=range(1, 2)),
    "output": plain(DType.INT16, shape="input"),
}


def check_options(view: NodeView) -> Iterator[str]:
    """int32 is shifted."""
    yield from out_of_range(view, shift=(0, 31))


def check(view: NodeView) -> Iterator[str]:
    """A weight for each value of a vector."""
    yield from shaped(view, "weights", view["input"].shape[-1:])
    yield from constant_inputs(view, "input")


def prepare(view: NodeView) -> Work:
    """One unit is one vector."""
    weights = view["weights"]
    assert weights.data is not None
    params = Params(weights.data, weights.count, view.node.attrs.shift)
    return work_of(view, params, units=view["input"].count // weights.count)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """`ApplyWindow` of TFLM."""
    weights = values[view["weights"].index].astype(np.int64)
    products = values[view["input"].index] * weights >> view.node.attrs.shift
    return products.clip(-32768, 32767).astype(np.int16)


OP = Op(
    name="signal_window",
    custom_name="SignalWindow",
    attrs=Attrs,
    inputs=("input", "weights"),
    options=check_options,
    summary="int16; shift",
    meanings=(
        Meaning(
            OPERANDS,
            oracle,
            prepare,
            check=check,
            kernels=(
                Kernel(
                    name="signal_window",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.POINTWISE,
                    is_in_place=True,
                ),
            ),
        ),
    ),
)
