"""CIRCULAR_BUFFER: the last inputs, next to each other.

Each call drops the oldest slot of the output, which is a variable, and appends the input.  The
inference ends here until `cycles_max` calls have been made; with a second output it always goes on,
and that output says whether they have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.ir.c_struct import Int, Int32
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.calling import is_truth
from tinyml_rules.ops._shared.operands import int8
from tinyml_rules.ops._shared.operator import Meaning, Op, Role

COUNTERS = (DType.UINT8, DType.INT32)
"""What counts the calls, by the number of them."""
_DIMENSIONS = 4
_OF_EVERY_CALL = (5, 13, 25)
"""Slots of a buffer without options for which TFLM takes a cycle of one call, and else of two."""
_OF_EITHER = (2, 96)
"""Its last dimensions where TFLM decides by how many such buffers a program has made before."""


@dataclass(frozen=True)
class Attrs:
    """The FlexBuffer's map."""

    cycles_max: int = 0


@dataclass(frozen=True)
class Params:
    """Members of the C struct: bytes that stay, bytes that come, and calls of a cycle."""

    kept: Int
    added: Int
    cycles: Int32


def cycles(view: NodeView) -> int:
    """The calls of a cycle."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    if attrs.cycles_max > 0:
        return attrs.cycles_max
    return 1 if view.outputs[0].shape[1:2] in [(slots,) for slots in _OF_EVERY_CALL] else 2


def has_flag(view: NodeView) -> bool:
    """Whether a second output tells that the cycle is complete."""
    return len(view.outputs) > 1


def counter_of(view: NodeView) -> DType | None:
    """The type that counts the calls, if they have to be."""
    count = cycles(view)
    if count == 1 and not has_flag(view):
        return None
    few, many = COUNTERS
    return few if count <= few.limits[1] else many


OPERANDS = {"input": int8(may_be_variable=True), "output": int8()}


def check_options(view: NodeView) -> Iterator[str]:
    """A count of calls that int32 holds."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    if attrs.cycles_max >= 2**31:
        yield f"cycles_max is {attrs.cycles_max}, expected at most {2**31 - 1}"


def check(view: NodeView) -> Iterator[str]:
    """One slot into many of the same size, which are a variable."""
    attrs, result = view.node.attrs, view["output"]
    assert isinstance(attrs, Attrs)
    yield from _check_slots(view["input"], result)
    if not result.is_variable:
        yield f"output tensor {result} is not a variable, so its values would be lost"
    elif result.is_constant:
        yield f"output tensor {result} has values in the file, expected a variable without"
    flag = view.optional("flag")
    if flag is not None and not is_truth(flag):
        yield f"output tensor {flag} is {flag.dtype} {list(flag.shape)}, expected a single bool"
    if attrs.cycles_max <= 0 and result.shape[2:] == _OF_EITHER:
        yield "no cycles_max, which TFLM guesses for this shape: expected a number of calls"


def _check_slots(source: Tensor, result: Tensor) -> Iterator[str]:
    if source.quantization != result.quantization:
        yield f"output tensor {result} has another quantization than input tensor {source}"
    for tensor, role in ((source, "input"), (result, "output")):
        if len(tensor.shape) != _DIMENSIONS or tensor.shape[0] != 1:
            shape = list(tensor.shape)
            yield f"{role} tensor {tensor} has shape {shape}, expected 4 dimensions, the first 1"
            return
    if source.shape[1] != 1 or source.shape[2:] != result.shape[2:]:
        expected = [1, 1, *result.shape[2:]]
        yield f"input tensor {source} has shape {list(source.shape)}, expected {expected}, a slot"


def state(view: NodeView) -> tuple[Tensor, ...]:
    """The calls since the cycle began."""
    counter = counter_of(view)
    name = f"{view.outputs[0].name} calls"
    return () if counter is None else (Tensor(0, name, (), counter),)


def prepare(view: NodeView) -> Work:
    """Input and counter in, slots and flag out."""
    source, result = view["input"], view.outputs[0]
    return Work(
        params=Params(kept=result.count - source.count, added=source.count, cycles=cycles(view)),
        inputs=tuple(tensor.index for tensor in view.inputs if tensor is not None),
        outputs=tuple(tensor.index for tensor in view.outputs),
    )


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """In the order: slots, flag, counter, truth value; of the last three those that there are."""
    source, *counters = (tensor for tensor in view.inputs if tensor is not None)
    slots, *flags = view.outputs
    made = np.concatenate([values[slots.index][:, 1:], values[source.index]], axis=1)
    if not counters:
        return (made,)
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    guess = 1 if slots.shape[1] in (5, 13, 25) else 2  # as TFLM guesses
    calls = int(values[counters[0].index]) + 1
    is_complete = np.array(calls >= (attrs.cycles_max if attrs.cycles_max > 0 else guess))
    counted = np.array(0 if is_complete else calls, counters[0].dtype.numpy)
    if flags:
        return made, is_complete.reshape(flags[0].shape), counted
    return made, counted, is_complete


@dataclass(frozen=True)
class Gate(Variant):
    """Words of the template."""

    counter: str
    """C type of what counts the inputs; empty where every input gives an output."""
    has_flag: bool
    """Whether a second output tells if the values are new."""


def _meaning(counter: DType | None, *, is_flagged: bool) -> Meaning:
    """By what counts the inputs, and whether a second output tells or the inference ends."""
    kind = "flag" if is_flagged else "gate"
    kernel = Kernel(
        name=f"circular_buffer_{kind}_{counter.bits}" if counter else "circular_buffer",
        template=Path(__file__).parent / "kernels" / "portable.c.j2",
        form=Form.WHOLE,
        may_end=counter is not None and not is_flagged,
        variant=Gate(counter.c_type if counter else "", is_flagged),
    )
    return Meaning(
        operands=OPERANDS,
        check=check,
        oracle=oracle,
        prepare=prepare,
        kernels=(kernel,),
        takes=lambda view: (counter_of(view), has_flag(view)) == (counter, is_flagged),
    )


OP = Op(
    name="circular_buffer",
    custom_name="CIRCULAR_BUFFER",
    attrs=Attrs,
    inputs=("input",),
    outputs=("output", "flag?"),
    options=check_options,
    summary="int8; cycles_max; ends an inference early, or says so in a second output",
    role=Role.EFFECT,
    keeps_outputs=True,
    state=state,
    meanings=(
        _meaning(None, is_flagged=False),
        *(_meaning(counter, is_flagged=False) for counter in COUNTERS),
        *(_meaning(counter, is_flagged=True) for counter in COUNTERS),
    ),
)
