"""SignalFilterBank: a spectrum's bins, summed by channels; each bin counts for two neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import OrderedOptions
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ops._shared.operands import numbers, plain
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.signal import constant_inputs, options, out_of_range, shaped, work_of

TABLES = ("weights", "unweights", "frequency_starts", "weight_starts", "widths")
_MOST_CHANNELS = 32766


@dataclass(frozen=True)
class Attrs(OrderedOptions):
    """The FlexBuffer's map."""

    num_channels: int


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct; the first of the channels has only what the second one is given."""

    weights: Array
    unweights: Array
    frequency_starts: Array
    weight_starts: Array
    widths: Array
    channels: Int


OPERANDS = {
    "input": plain(DType.UINT32, ranks=range(1, 2)),
    **{name: numbers(DType.INT16, ranks=range(1, 2)) for name in TABLES},
    "output": plain(DType.UINT64, shape=lambda view: (options(view).num_channels,)),
}


def check_options(view: NodeView) -> Iterator[str]:
    """A channel has a number of 16 bits."""
    yield from out_of_range(view, num_channels=(1, _MOST_CHANNELS))


def check(view: NodeView) -> Iterator[str]:
    """One more than the channels is listed, and all that they read is there."""
    for name in TABLES[2:]:
        yield from shaped(view, name, (options(view).num_channels + 1,))
    yield from shaped(view, "unweights", view["weights"].shape)
    yield from constant_inputs(view, "input")


def check_tables(view: NodeView) -> Iterator[str]:
    """The channels' bins and weights are inside of their tables."""
    wrong = list(check(view))
    yield from wrong
    if wrong:
        return
    frequencies, weights, widths = (_values(view, name) for name in TABLES[2:])
    for channel, width in enumerate(widths):
        if width < 0:
            yield f"widths tensor {view['widths']} has {width}, expected numbers from 0 on"
            return
        for of, first, count in (
            ("frequency_starts", frequencies[channel], view["input"].count),
            ("weight_starts", weights[channel], view["weights"].count),
        ):
            if width and not 0 <= first <= count - width:
                yield (
                    f"{of} tensor {view[of]} has {first} for {width} values of channel {channel}, "
                    f"expected 0 to {count - width}"
                )
                return


def _values(view: NodeView, name: str) -> list[int]:
    data = view[name].data
    assert data is not None
    return [int(value) for value in data]


def prepare(view: NodeView) -> Work:
    """One spectrum."""
    tables: dict[str, Any] = {name: view[name].data for name in TABLES}
    return work_of(view, Params(**tables, channels=options(view).num_channels))


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """`FilterbankAccumulateChannels` of TFLM, without its first channel; sums wrap."""
    spectrum, weights, unweights, frequencies, starts, widths = (
        values[each.index].astype(np.int64) for each in view.inputs if each is not None
    )
    sums = [0]
    for channel, width in enumerate(widths):
        bins = spectrum[frequencies[channel] :][:width].tolist()
        own, given = (
            sum(map(int.__mul__, bins, each[starts[channel] :][:width].tolist()))
            for each in (weights, unweights)
        )
        sums[-1] += own
        sums.append(given)
    return np.array([each % 2**64 for each in sums[1:-1]], np.uint64)


OP = Op(
    name="signal_filter_bank",
    custom_name="SignalFilterBank",
    attrs=Attrs,
    inputs=("input", *TABLES),
    options=check_options,
    summary="uint32 to uint64; num_channels",
    meanings=(
        Meaning(
            OPERANDS,
            oracle,
            prepare,
            check=check_tables,
            kernels=(
                Kernel(
                    name="signal_filter_bank",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.WHOLE,
                ),
            ),
        ),
    ),
)
