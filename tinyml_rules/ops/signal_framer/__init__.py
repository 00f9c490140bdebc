"""SignalFramer: overlapping frames of a stream of samples.

Each call brings some steps; each step a frame of the last samples.  Until there are enough of them
the flag is false: TFLM leaves those frames as they were, here they become 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.ir.c_struct import Int, Int32
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.options import OrderedOptions
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ops._shared.operands import VECTORS, plain
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.signal import (
    INT32_MOST,
    constant_inputs,
    options,
    out_of_range,
    work_of,
)


@dataclass(frozen=True)
class Attrs(OrderedOptions):
    """The FlexBuffer's map: samples of a frame, those of a step, and whether the stream begins with
    zeros."""

    frame_size: int
    frame_step: int
    prefill: bool


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    frame: Int
    step: Int
    kept: Int
    frames: Int
    streams: Int
    missing: Int32
    """Frames until there are enough samples."""


OPERANDS = {
    "input": plain(DType.INT16, ranks=VECTORS),
    "output": plain(
        DType.INT16,
        shape=lambda view: (
            *view["input"].shape[:-1],
            view["input"].shape[-1] // options(view).frame_step,
            options(view).frame_size,
        ),
    ),
    "flag": plain(DType.BOOL, ranks=range(1)),
}


def check_options(view: NodeView) -> Iterator[str]:
    """There are samples in both; a stream with zeros in front has at least as many in a frame."""
    attrs = options(view)
    yield from out_of_range(view, frame_size=(1, INT32_MOST))
    most = attrs.frame_size if attrs.prefill else INT32_MOST
    yield from out_of_range(view, frame_step=(1, max(most, 1)))


def check(view: NodeView) -> Iterator[str]:
    """Whole steps."""
    samples, step = view["input"].shape[-1], options(view).frame_step
    if samples % step:
        yield f"input tensor {view['input']} has {samples} samples, expected a multiple of {step}"
    yield from constant_inputs(view, "input")


def missing(view: NodeView) -> int:
    """How many steps come before the first frame."""
    attrs = options(view)
    return 0 if attrs.prefill else -(-attrs.frame_size // attrs.frame_step) - 1


def kept(view: NodeView) -> int:
    """How many samples before a step its frame begins: those of a frame begin at a step, unless
    zeros are in front."""
    attrs = options(view)
    if attrs.prefill:
        return int(attrs.frame_size - attrs.frame_step)
    return int(missing(view) * attrs.frame_step)


def state(view: NodeView) -> tuple[Tensor, ...]:
    """The samples of each stream, and the steps that are missing, which are counted upwards."""
    source = view["input"]
    shape = (source.count // source.shape[-1], max(kept(view), 1))
    name = view.outputs[0].name
    return (
        Tensor(0, f"{name} samples", shape, DType.INT16),
        Tensor(0, f"{name} steps", (), DType.INT32),
    )


def prepare(view: NodeView) -> Work:
    """All streams."""
    attrs, source = options(view), view["input"]
    params = Params(
        frame=attrs.frame_size,
        step=attrs.frame_step,
        kept=kept(view),
        frames=source.shape[-1] // attrs.frame_step,
        streams=source.count // source.shape[-1],
        missing=missing(view),
    )
    return work_of(view, params)


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """TFLM's queue of the samples that have come, of which each frame drops a step."""
    attrs, (_, samples, steps) = options(view), view.inputs
    assert samples is not None
    assert steps is not None
    before, counted = values[samples.index], int(values[steps.index])
    streams = values[view["input"].index].reshape(len(before), -1)
    size, step = attrs.frame_size, attrs.frame_step
    lag = 0 if attrs.prefill else -size % step
    length = max(size + lag - step, 0)
    queue = np.concatenate([before[:, len(before[0]) - length :], streams], axis=1)
    count = streams.shape[1] // step
    found = np.stack([queue[:, k * step : k * step + size] for k in range(count)], axis=1)
    wanted = 0 if attrs.prefill else (size + lag) // step - 1
    is_there = counted + np.arange(count) >= wanted
    found = np.where(is_there[:, None], found, 0).astype(np.int16)
    left = queue[:, queue.shape[1] - length :] if length else before
    counted = min(counted + count, wanted)
    return (
        found.reshape(view.outputs[0].shape),
        np.array(bool(is_there.all())),
        left,
        np.array(counted, np.int32),
    )


OP = Op(
    name="signal_framer",
    custom_name="SignalFramer",
    attrs=Attrs,
    inputs=("input",),
    outputs=("output", "flag"),
    options=check_options,
    summary="int16; frame_size, frame_step, prefill; a second output says whether frames are new",
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
                    name="signal_framer",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.WHOLE,
                ),
            ),
        ),
    ),
)
