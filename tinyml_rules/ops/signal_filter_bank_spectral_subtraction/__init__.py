"""SignalFilterBankSpectralSubtraction: what is above a running estimate of the noise.

Every other channel has another factor of smoothing.  The estimate is kept from one inference to the
next, and is 0 at the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.ir.c_struct import Int, Int32, UInt8, UInt32
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.options import OrderedOptions
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ops._shared.operands import plain
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.signal import (
    INT32_MOST,
    constant_inputs,
    out_of_range,
    shaped,
    work_of,
)

FACTORS = (
    *("alternate_one_minus_smoothing", "alternate_smoothing"),
    *("one_minus_smoothing", "smoothing"),
)


@dataclass(frozen=True)
class Attrs(OrderedOptions):
    """The FlexBuffer's map."""

    alternate_one_minus_smoothing: int
    alternate_smoothing: int
    clamping: bool
    min_signal_remaining: int
    num_channels: int
    one_minus_smoothing: int
    smoothing: int
    smoothing_bits: int
    spectral_subtraction_bits: int


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    smoothing: UInt32
    one_minus_smoothing: UInt32
    alternate_smoothing: UInt32
    alternate_one_minus_smoothing: UInt32
    min_signal_remaining: Int32
    channels: Int
    smoothing_bits: UInt8
    spectral_subtraction_bits: UInt8
    clamping: UInt8


OPERANDS = {
    "input": plain(DType.UINT32, ranks=range(1, 2)),
    "output": plain(DType.UINT32, shape="input"),
    "noise": plain(DType.UINT32, shape="input"),
}


def check_options(view: NodeView) -> Iterator[str]:
    """Numbers of 32 bits, the factors above 0; shifts of numbers of 32 and 64 bits."""
    yield from out_of_range(
        view,
        **dict.fromkeys((*FACTORS, "min_signal_remaining"), (0, INT32_MOST)),
        smoothing_bits=(0, 31),
        spectral_subtraction_bits=(0, 63),
    )


def check(view: NodeView) -> Iterator[str]:
    """As many values as there are channels."""
    yield from shaped(view, "input", (view.node.attrs.num_channels,))
    yield from constant_inputs(view, "input")


def state(view: NodeView) -> tuple[Tensor, ...]:
    """The estimate."""
    return (Tensor(0, f"{view.outputs[1].name} estimate", view["input"].shape, DType.UINT32),)


def prepare(view: NodeView) -> Work:
    """All channels."""
    options = {
        name.replace("num_", ""): int(value) for name, value in vars(view.node.attrs).items()
    }
    return work_of(view, Params(**options))


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """`FilterbankSpectralSubtraction` of TFLM; numbers of 32 bits wrap, those of 64 too."""
    attrs, found = view.node.attrs, []
    pairs = (
        (attrs.smoothing, attrs.one_minus_smoothing),
        (attrs.alternate_smoothing, attrs.alternate_one_minus_smoothing),
    )
    *_, estimates = view.inputs
    assert estimates is not None
    for channel, value in enumerate(values[view["input"].index].tolist()):
        smoothing, others = pairs[channel % 2]
        up = (value << attrs.smoothing_bits) % 2**32
        total = up * smoothing + int(values[estimates.index][channel]) * others
        estimate = (total % 2**64 >> attrs.spectral_subtraction_bits) % 2**32
        least = (value * attrs.min_signal_remaining >> attrs.spectral_subtraction_bits) % 2**32
        above = (up - min(estimate, up)) >> attrs.smoothing_bits
        found.append((max(above, least), min(estimate, up) if attrs.clamping else estimate))
    output, noise = np.array(found, np.uint32).T
    return output, noise, noise


OP = Op(
    name="signal_filter_bank_spectral_subtraction",
    custom_name="SignalFilterBankSpectralSubtraction",
    attrs=Attrs,
    inputs=("input",),
    outputs=("output", "noise"),
    options=check_options,
    summary="uint32; all options; keeps its estimate of the noise",
    role=Role.EFFECT,
    state=state,
    meanings=(
        Meaning(
            OPERANDS,
            oracle,
            prepare,
            check=check,
            kernels=(
                Kernel(
                    name="signal_filter_bank_spectral_subtraction",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.WHOLE,
                ),
            ),
        ),
    ),
)
