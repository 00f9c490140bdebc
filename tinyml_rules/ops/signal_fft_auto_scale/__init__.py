"""SignalFftAutoScale: a vector by the power of 2 that its largest value has room for, and which."""

from __future__ import annotations

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
    "input": plain(DType.INT16, ranks=range(1, 2)),
    "output": plain(DType.INT16, shape="input"),
    "scale_bits": plain(DType.INT32, ranks=range(1)),
}


def check(view: NodeView) -> Iterator[str]:
    """Of a signal."""
    yield from constant_inputs(view, "input")


def prepare(view: NodeView) -> Work:
    """One vector."""
    return work_of(view, Params(view["input"].count))


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """`FftAutoScale` of TFLM.  The negative of -32768 is -32768 for `MaxAbs16`, less than what
    follows it."""
    found = values[view["input"].index].astype(np.int64)
    lowest = np.flatnonzero(found == -32768)
    after = found[lowest[-1] + 1 :] if lowest.size else found
    largest = int(np.abs(after).max(initial=-32768 if lowest.size else 0))
    bits = max(15 - largest.bit_length(), 0) if largest > 0 else 0
    if largest <= 0 and lowest.size and after.size:
        bits = 0
    return (found << bits).astype(np.int16), np.array(bits, np.int32)


OP = Op(
    name="signal_fft_auto_scale",
    custom_name="SignalFftAutoScale",
    attrs=Attrs,
    inputs=("input",),
    outputs=("output", "scale_bits"),
    summary="int16, and int32 as a second output",
    meanings=(
        Meaning(
            OPERANDS,
            oracle,
            prepare,
            check=check,
            kernels=(
                Kernel(
                    name="signal_fft_auto_scale",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.WHOLE,
                    runtime=("bit_length",),
                ),
            ),
        ),
    ),
)
