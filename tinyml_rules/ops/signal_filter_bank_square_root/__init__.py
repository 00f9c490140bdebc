"""SignalFilterBankSquareRoot: the square root to the nearest integer, shifted to the right."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import OrderedOptions
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ops._shared.operands import plain
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.signal import constant_inputs, work_of


@dataclass(frozen=True)
class Attrs(OrderedOptions):
    """The FlexBuffer's map, which is empty."""


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    count: Int


OPERANDS = {
    "input": plain(DType.UINT64, ranks=range(1, 2)),
    "scale_bits": plain(DType.INT32, ranks=range(1)),
    "output": plain(DType.UINT32, shape="input"),
}


def check(view: NodeView) -> Iterator[str]:
    """Both are computed."""
    yield from constant_inputs(view, "input", "scale_bits")


def prepare(view: NodeView) -> Work:
    """All channels."""
    return work_of(view, Params(view["input"].count))


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """`Sqrt64` of TFLM: below 2^32 a root of 16 bits, which is not rounded beyond them."""
    bits = int(values[view["scale_bits"].index].reshape(())) & 31
    found = [_root(int(value)) >> bits for value in values[view["input"].index]]
    return np.array(found, np.uint32)


def _root(value: int) -> int:
    most = 2**32 - 1 if value >> 32 else 2**16 - 1
    root = math.isqrt(value)
    return root + (value - root * root > root and root < most)


OP = Op(
    name="signal_filter_bank_square_root",
    custom_name="SignalFilterBankSquareRoot",
    attrs=Attrs,
    inputs=("input", "scale_bits"),
    summary="uint64, and int32 for a shift, to uint32",
    meanings=(
        Meaning(
            OPERANDS,
            oracle,
            prepare,
            check=check,
            kernels=(
                Kernel(
                    name="signal_filter_bank_square_root",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.WHOLE,
                ),
            ),
        ),
    ),
)
