"""SignalDelay: the samples of each stream, so many later; 0 before the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.options import OrderedOptions
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ops._shared.operands import VECTORS, plain
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.signal import INT32_MOST, constant_inputs, out_of_range, work_of


@dataclass(frozen=True)
class Attrs(OrderedOptions):
    """The FlexBuffer's map: how many samples."""

    delay_length: int


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    delay: Int
    samples: Int
    streams: Int


OPERANDS = {
    "input": plain(DType.INT16, ranks=VECTORS),
    "output": plain(DType.INT16, shape="input"),
}


def check_options(view: NodeView) -> Iterator[str]:
    """Some samples; without a delay nothing would be kept."""
    yield from out_of_range(view, delay_length=(1, INT32_MOST))


def check(view: NodeView) -> Iterator[str]:
    """Of a signal."""
    yield from constant_inputs(view, "input")


def state(view: NodeView) -> tuple[Tensor, ...]:
    """The last samples of each stream."""
    source = view["input"]
    shape = (source.count // source.shape[-1], view.node.attrs.delay_length)
    return (Tensor(0, f"{view.outputs[0].name} samples", shape, DType.INT16),)


def prepare(view: NodeView) -> Work:
    """All streams."""
    source = view["input"]
    samples = source.shape[-1]
    return work_of(view, Params(view.node.attrs.delay_length, samples, source.count // samples))


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """TFLM's queue."""
    source, kept = view.inputs
    assert source is not None
    assert kept is not None
    samples = values[source.index].reshape(-1, source.shape[-1])
    queue = np.concatenate([values[kept.index], samples], axis=1)
    output = queue[:, : source.shape[-1]].reshape(source.shape)
    return output, queue[:, source.shape[-1] :]


OP = Op(
    name="signal_delay",
    custom_name="SignalDelay",
    attrs=Attrs,
    inputs=("input",),
    options=check_options,
    summary="int16; delay_length",
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
                    name="signal_delay",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.WHOLE,
                ),
            ),
        ),
    ),
)
