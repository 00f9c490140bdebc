"""SignalFilterBankLog: the natural logarithm of each value, scaled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.arithmetic.interpolated_logarithm import SEGMENTS
from tinyml_rules.ir.c_struct import Int, UInt8, UInt32
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import OrderedOptions
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ops._shared.operands import plain
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.signal import (
    INT32_MOST,
    bit_length,
    constant_inputs,
    out_of_range,
    work_of,
)


@dataclass(frozen=True)
class Attrs(OrderedOptions):
    """The FlexBuffer's map: how far values are shifted to the left, and what 1 becomes."""

    input_correction_bits: int
    output_scale: int


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct."""

    segments: Array
    scale: UInt32
    count: Int
    correction_bits: UInt8


OPERANDS = {
    "input": plain(DType.UINT32, ranks=range(1, 2)),
    "output": plain(DType.INT16, shape="input"),
}


def check_options(view: NodeView) -> Iterator[str]:
    """32 bits are shifted."""
    limits = (-INT32_MOST - 1, INT32_MOST)
    yield from out_of_range(view, input_correction_bits=(0, 31), output_scale=limits)


def check(view: NodeView) -> Iterator[str]:
    """Of a signal."""
    yield from constant_inputs(view, "input")


def prepare(view: NodeView) -> Work:
    """All channels."""
    attrs, count = view.node.attrs, view["input"].count
    bits = attrs.input_correction_bits
    return work_of(view, Params(SEGMENTS, attrs.output_scale % 2**32, count, bits))


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """`FilterbankLog` of TFLM: the logarithm to base 2, with 16 bits after the point, between the
    entries of a table."""
    attrs = view.node.attrs
    value = (values[view["input"].index].astype(np.int64) << attrs.input_correction_bits) % 2**32
    whole = bit_length(value.clip(1)) - 1
    fraction = ((value.clip(1) << 16) >> whole) - 2**16
    place = fraction >> 9
    entries = SEGMENTS.astype(np.int64)
    step = (entries[place + 1] - entries[place]) * (fraction & 511) >> 16
    binary = (whole << 16) + fraction + entries[place] + step
    natural = (45426 * binary + 2**15) >> 16
    scaled = (attrs.output_scale * natural + 2**15) % 2**32 >> 16
    return np.where(value > 1, scaled.clip(0, 32767), 0).astype(np.int16)


OP = Op(
    name="signal_filter_bank_log",
    custom_name="SignalFilterBankLog",
    attrs=Attrs,
    inputs=("input",),
    options=check_options,
    summary="uint32 to int16; input_correction_bits, output_scale",
    meanings=(
        Meaning(
            OPERANDS,
            oracle,
            prepare,
            check=check,
            kernels=(
                Kernel(
                    name="signal_filter_bank_log",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.WHOLE,
                    runtime=("natural_logarithm",),
                ),
            ),
        ),
    ),
)
