"""SignalEnergy: the squared size of complex numbers, from one bin up to another.

TFLM leaves all other elements as they were; here they become 0.
"""

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
from tinyml_rules.ops._shared.signal import INT32_MOST, constant_inputs, out_of_range, work_of


@dataclass(frozen=True)
class Attrs(OrderedOptions):
    """The FlexBuffer's map: the first bin, and the one after the last."""

    end_index: int
    start_index: int


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    start: Int
    end: Int
    count: Int


OPERANDS = {
    "input": plain(DType.INT16, ranks=range(1, 2)),
    "output": plain(DType.UINT32, ranks=range(1, 2)),
}


def check_options(view: NodeView) -> Iterator[str]:
    """The indices are in order."""
    yield from out_of_range(view, end_index=(0, INT32_MOST))
    yield from out_of_range(view, start_index=(0, max(view.node.attrs.end_index, 0)))


def check(view: NodeView) -> Iterator[str]:
    """All bins are there, in both tensors."""
    bins = min(view["input"].count // 2, view.output.count)
    yield from out_of_range(view, end_index=(0, bins))
    yield from constant_inputs(view, "input")


def prepare(view: NodeView) -> Work:
    """One spectrum."""
    attrs = view.node.attrs
    return work_of(view, Params(attrs.start_index, attrs.end_index, view.output.count))


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """`SpectrumToEnergy` of TFLM."""
    attrs, found = view.node.attrs, np.zeros(view.output.shape, np.uint32)
    bins = slice(attrs.start_index, attrs.end_index)
    spectrum = values[view["input"].index].astype(np.int64)
    pairs = spectrum[: len(spectrum) // 2 * 2].reshape(-1, 2)
    found[bins] = (pairs[bins] ** 2).sum(axis=1)
    return found


OP = Op(
    name="signal_energy",
    custom_name="SignalEnergy",
    attrs=Attrs,
    inputs=("input",),
    options=check_options,
    summary="int16 to uint32; start_index, end_index",
    meanings=(
        Meaning(
            OPERANDS,
            oracle,
            prepare,
            check=check,
            kernels=(
                Kernel(
                    name="signal_energy",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.WHOLE,
                ),
            ),
        ),
    ),
)
