"""SignalStacker: the last frames next to each other, some before and some after one of them.

The first frame counts as all those before it.  Until there are enough the flag is false: TFLM
leaves the output as it was, here it becomes 0.
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
from tinyml_rules.ops._shared.operands import plain
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.signal import constant_inputs, options, out_of_range, work_of

_MOST = 32767


@dataclass(frozen=True)
class Attrs(OrderedOptions):
    """The FlexBuffer's map: values of a frame, frames before and after one, and how many frames an
    output is apart from the next."""

    num_channels: int
    stacker_left_context: int
    stacker_right_context: int
    stacker_step: int

    @property
    def before(self) -> int:
        """Frames of an output that are not the newest."""
        return self.stacker_left_context + self.stacker_right_context


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    channels: Int
    kept: Int
    first_wait: Int32
    step: Int32


OPERANDS = {
    "input": plain(
        DType.INT16, ranks=range(1, 2), shape=lambda view: (options(view).num_channels,)
    ),
    "output": plain(
        DType.INT16,
        shape=lambda view: (options(view).num_channels * (options(view).before + 1),),
    ),
    "flag": plain(DType.BOOL, ranks=range(1)),
}


def check_options(view: NodeView) -> Iterator[str]:
    """An output drops no more frames than there are."""
    contexts = dict.fromkeys(("stacker_left_context", "stacker_right_context"), (0, _MOST))
    wrong = list(out_of_range(view, num_channels=(1, _MOST), **contexts))
    yield from wrong or out_of_range(view, stacker_step=(1, options(view).before + 1))


def check(view: NodeView) -> Iterator[str]:
    """Of a signal."""
    yield from constant_inputs(view, "input")


def state(view: NodeView) -> tuple[Tensor, ...]:
    """The frames before the newest, and how many are to come until the next output; 0 at the
    start."""
    attrs, name = options(view), view.outputs[0].name
    count = max(attrs.num_channels * attrs.before, 1)
    return (
        Tensor(0, f"{name} frames", (count,), DType.INT16),
        Tensor(0, f"{name} wait", (), DType.INT32),
    )


def prepare(view: NodeView) -> Work:
    """One frame."""
    attrs = options(view)
    params = Params(
        channels=attrs.num_channels,
        kept=attrs.num_channels * attrs.before,
        first_wait=attrs.stacker_right_context + 1,
        step=attrs.stacker_step,
    )
    return work_of(view, params)


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """TFLM's queue of frames."""
    attrs, (_, frames, waits) = options(view), view.inputs
    assert frames is not None
    assert waits is not None
    new, queue, wait = values[view["input"].index], values[frames.index], int(values[waits.index])
    if not wait:
        queue, wait = np.resize(new, queue.shape), attrs.stacker_right_context + 1
    joined = np.concatenate([queue, new])[-view.outputs[0].count :]
    wait -= 1
    output = np.zeros_like(joined) if wait else joined
    left = joined[len(new) :] if attrs.before else queue
    following = np.array(wait or attrs.stacker_step, np.int32)
    return output, np.array(not wait), left, following


OP = Op(
    name="signal_stacker",
    custom_name="SignalStacker",
    attrs=Attrs,
    inputs=("input",),
    outputs=("output", "flag"),
    options=check_options,
    summary="int16; num_channels, contexts, step; a second output says whether values are new",
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
                    name="signal_stacker",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.WHOLE,
                ),
            ),
        ),
    ),
)
