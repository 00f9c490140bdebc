"""SignalOverlapAdd: the sums of overlapping frames as a stream; of each comes out a step."""

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
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.operands import ANY_RANK, plain
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.signal import INT32_MOST, constant_inputs, out_of_range, work_of

TYPE_NUMBERS = {DType.INT16: 7, DType.FLOAT32: 0}
"""The schema's numbers of the types."""


@dataclass(frozen=True)
class Attrs(OrderedOptions):
    """The FlexBuffer's map: the number of the type, and how many samples come out of a frame."""

    T: int
    frame_step: int


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    frame: Int
    step: Int
    frames: Int
    streams: Int


@dataclass(frozen=True)
class Element(Variant):
    """Words of the template."""

    element: str
    """C type of a sample."""
    is_real: bool
    """Whether samples are real numbers."""


def check_options(view: NodeView) -> Iterator[str]:
    """Some samples come out."""
    yield from out_of_range(view, frame_step=(1, INT32_MOST))


def check(view: NodeView) -> Iterator[str]:
    """No more samples come out than go in, of that type."""
    source, number = view["input"], TYPE_NUMBERS[view["input"].dtype]
    yield from out_of_range(view, T=(number, number), frame_step=(1, source.shape[-1]))
    yield from constant_inputs(view, "input")


def _shape(view: NodeView) -> tuple[int, ...]:
    *streams, frames, _ = view["input"].shape
    return *streams, frames * view.node.attrs.frame_step


def state(view: NodeView) -> tuple[Tensor, ...]:
    """The sums of each stream that did not come out yet."""
    source = view["input"]
    frames, size = source.shape[-2:]
    shape = (source.count // (frames * size), size)
    return (Tensor(0, f"{view.outputs[0].name} sums", shape, source.dtype),)


def prepare(view: NodeView) -> Work:
    """All streams."""
    source = view["input"]
    frames, size = source.shape[-2:]
    params = Params(size, view.node.attrs.frame_step, frames, source.count // (frames * size))
    return work_of(view, params)


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """`OverlapAdd` of TFLM."""
    source, kept = view.inputs
    assert source is not None
    assert kept is not None
    is_real, step = source.dtype.is_real, view.node.attrs.frame_step
    sums, steps = values[kept.index], []
    wide = np.float32 if is_real else np.int32
    for frame in np.moveaxis(values[source.index].reshape(len(sums), *source.shape[-2:]), 1, 0):
        total = sums.astype(wide) + frame.astype(wide)
        total = total if is_real else total.clip(-32768, 32767)
        steps.append(total[:, :step])
        sums = np.pad(total[:, step:], ((0, 0), (0, step)))
    output = np.stack(steps, axis=1).reshape(view.outputs[0].shape)
    dtype = values[kept.index].dtype
    return output.astype(dtype), sums.astype(dtype)


def _meaning(dtype: DType) -> Meaning:
    return Meaning(
        {
            "input": plain(dtype, ranks=range(2, ANY_RANK)),
            "output": plain(dtype, shape=_shape),
        },
        oracle,
        prepare,
        check=check,
        takes=lambda view: view["input"].dtype is dtype,
        kernels=(
            Kernel(
                name=f"signal_overlap_add_{dtype}",
                template=Path(__file__).parent / "kernels" / "portable.c.j2",
                form=Form.WHOLE,
                variant=Element(dtype.c_type, dtype.is_real),
            ),
        ),
    )


OP = Op(
    name="signal_overlap_add",
    custom_name="SignalOverlapAdd",
    attrs=Attrs,
    inputs=("input",),
    options=check_options,
    summary="int16, float32; frame_step",
    role=Role.EFFECT,
    state=state,
    meanings=tuple(map(_meaning, TYPE_NUMBERS)),
)
