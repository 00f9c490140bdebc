"""SignalPCAN: each channel's gain by its noise, a function of piecewise polynomials, and the
result compressed: x^2 / 4 below 2, x - 1 from 2 on."""

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
from tinyml_rules.ops._shared.operands import numbers, plain
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.signal import bit_length, constant_inputs, out_of_range, work_of

GAINS = 125
"""Values of the function: of 0 and 1, then a polynomial of three for each length in bits, 2 to 32,
with a gap between them; that of 2 is the first of the length 2."""


@dataclass(frozen=True)
class Attrs(OrderedOptions):
    """The FlexBuffer's map: how far values times gains are shifted."""

    snr_shift: int


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct."""

    gains: Array
    count: Int
    snr_shift: UInt8


OPERANDS = {
    "input": plain(DType.UINT32, ranks=range(1, 2)),
    "noise": plain(DType.UINT32, shape="input"),
    "gains": numbers(DType.INT16, ranks=range(1, 2)),
    "output": plain(DType.UINT32, shape="input"),
}


def check_options(view: NodeView) -> Iterator[str]:
    """64 bits are shifted."""
    yield from out_of_range(view, snr_shift=(0, 63))


def check(view: NodeView) -> Iterator[str]:
    """The table has every length; more is not read."""
    if view["gains"].count < GAINS:
        yield f"gains tensor {view['gains']} has {view['gains'].count} values, expected {GAINS}"
    yield from constant_inputs(view, "input", "noise")


def prepare(view: NodeView) -> Work:
    """All channels."""
    gains = view["gains"].data
    assert gains is not None
    return work_of(view, Params(gains[:GAINS], view["input"].count, view.node.attrs.snr_shift))


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """`ApplyPcanAutoGainControlFixed` of TFLM."""
    source, noise = (values[view[name].index].astype(np.int64) for name in ("input", "noise"))
    gains = values[view["gains"].index].astype(np.int64)
    bits = np.maximum(bit_length(noise), 2)
    fraction = (
        np.where(bits < 11, noise << (11 - bits).clip(0), noise >> (bits - 11).clip(0)) & 1023
    )
    first, second, third = (gains[4 * bits - 6 + place] for place in range(3))
    polynomial = (((third * fraction >> 5) + (second << 5)) * fraction + 2**14) >> 15
    gain = np.where(noise <= 2, gains[noise.clip(0, 2)], first + polynomial).astype(np.int16)
    wide = zip(source.tolist(), gain.astype(np.uint32).tolist(), strict=True)
    shift = view.node.attrs.snr_shift
    ratio = np.array([(each * by >> shift) % 2**32 for each, by in wide], np.int64)
    return np.where(ratio < 8192, ratio * ratio >> 20, (ratio >> 6) - 64).astype(np.uint32)


OP = Op(
    name="signal_pcan",
    custom_name="SignalPCAN",
    attrs=Attrs,
    inputs=("input", "noise", "gains"),
    options=check_options,
    summary="uint32; snr_shift",
    meanings=(
        Meaning(
            OPERANDS,
            oracle,
            prepare,
            check=check,
            kernels=(
                Kernel(
                    name="signal_pcan",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.WHOLE,
                    runtime=("gain_of_noise",),
                ),
            ),
        ),
    ),
)
