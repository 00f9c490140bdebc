"""Cases of CIRCULAR_BUFFER: cycles of any length, alone, after and before other operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from flatbuffers import flexbuffers
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import Case, Rejected, quantized, random
from tinyml_rules.ops._shared.cases.strategies import FEW

COUNT = 13


def _buffer(
    source: int, results: Sequence[int], cycles: int | None, options: bytes = b""
) -> OperatorSpec:
    custom = options if cycles is None else bytes(flexbuffers.Dumps({"cycles_max": cycles}))
    return OperatorSpec(
        "CUSTOM",
        (source,),
        tuple(results),
        custom_code="CIRCULAR_BUFFER",
        custom_options=custom,
    )


def _slots(name: str, count: int, slot: tuple[int, int], *, zero_point: int = -7) -> TensorSpec:
    return replace(quantized(name, (1, count, *slot), zero_point=zero_point), is_variable=True)


def buffer(
    *,
    slots: int = 3,
    slot: tuple[int, int] = (1, 4),
    cycles: int | None = 2,
    is_flagged: bool = False,
    zero_point: int = -7,
) -> ModelSpec:
    """A buffer, a node that doubles its values, and the flag if there is one."""
    shape = (1, slots, *slot)
    flag = (TensorSpec("flag", (1,), "bool"),) if is_flagged else ()
    tensors = (
        quantized("x", (1, 1, *slot), zero_point=zero_point),
        _slots("slots", slots, slot, zero_point=zero_point),
        quantized("y", shape),
        *flag,
    )
    flags = (3,) if is_flagged else ()
    operators = (_buffer(0, (1, *flags), cycles), OperatorSpec("ADD", (1, 1), (2,)))
    return ModelSpec(tensors, operators, (0,), (2, *flags))


def in_a_row() -> ModelSpec:
    """A sum that is new in each call, a buffer of sums, its mean, and a second buffer of every
    other mean, for which no call waits; the first buffer is an output too."""
    tensors = (
        quantized("x", (1, 1, 1, 4)),
        quantized("double", (1, 1, 1, 4)),
        replace(_slots("first", 4, (1, 4)), zero_points=(0,)),
        quantized("mean", (1, 1, 1, 4)),
        replace(_slots("second", 5, (1, 4)), zero_points=(0,)),
        quantized("y", (1, 5, 1, 4)),
        TensorSpec("axes", (1,), "int32", data=np.array([1], np.int32)),
    )
    operators = (
        OperatorSpec("ADD", (0, 0), (1,)),
        _buffer(1, (2,), 3),
        OperatorSpec("MEAN", (2, 6), (3,), {"KeepDims": True}),
        _buffer(3, (4,), 1),
        OperatorSpec("ADD", (4, 4), (5,)),
    )
    return ModelSpec(tensors, operators, (0,), (5, 2))


def _sequence(model: ModelSpec, *, count: int = COUNT) -> Case:
    shape = model.tensors[0].shape
    samples = random(3).integers(-128, 128, (count, *shape)).astype(np.int8)
    return Case(model, (samples,), is_sequence=True)


CASES = {
    "of_two": _sequence(buffer()),
    "of_one": _sequence(buffer(cycles=1)),
    "of_many": _sequence(buffer(cycles=300), count=605),
    "one_slot": _sequence(buffer(slots=1, slot=(2, 3), cycles=3)),
    "flag": _sequence(buffer(is_flagged=True)),
    "flag_always": _sequence(buffer(is_flagged=True, cycles=1)),
    "flag_of_many": _sequence(buffer(is_flagged=True, cycles=300), count=305),
    "without_options": _sequence(buffer(cycles=None)),
    "without_options_of_one": _sequence(buffer(cycles=None, slots=5)),
    "in_a_row": _sequence(in_a_row()),
    "reset": replace(_sequence(buffer(cycles=1)), is_sequence=False),
}
SAMPLES = ("of_two", "of_one", "of_many", "flag", "flag_of_many")


def _changed(place: int, tensor: TensorSpec, model: ModelSpec | None = None) -> ModelSpec:
    model = model or buffer()
    tensors = (*model.tensors[:place], tensor, *model.tensors[place + 1 :])
    return replace(model, tensors=tensors, operators=model.operators[:1], outputs=(1,))


REJECTED = {
    "no_variable": Rejected(
        _changed(1, quantized("slots", (1, 3, 1, 4), zero_point=-7)),
        ("output tensor #1 'slots' is not a variable, so its values would be lost",),
    ),
    "two_slots_at_once": Rejected(
        _changed(0, quantized("x", (1, 2, 1, 4), zero_point=-7)),
        ("input tensor #0 'x' has shape [1, 2, 1, 4], expected [1, 1, 1, 4], a slot",),
    ),
    "batch": Rejected(
        _changed(0, quantized("x", (2, 1, 1, 4), zero_point=-7)),
        ("input tensor #0 'x' has shape [2, 1, 1, 4], expected 4 dimensions, the first 1",),
    ),
    "three_dimensions": Rejected(
        _changed(0, quantized("x", (1, 1, 4), zero_point=-7)),
        ("input tensor #0 'x' has shape [1, 1, 4], expected 4 dimensions, the first 1",),
    ),
    "another_scale": Rejected(
        _changed(0, quantized("x", (1, 1, 1, 4), scale=0.25, zero_point=-7)),
        ("output tensor #1 'slots' has another quantization than input tensor #0 'x'",),
    ),
    "flag_of_two": Rejected(
        _changed(3, TensorSpec("flag", (2,), "bool"), buffer(is_flagged=True)),
        ("output tensor #3 'flag' is bool [2], expected a single bool",),
    ),
    "cycles_unknown": Rejected(
        _changed(0, buffer(slot=(2, 96)).tensors[0], buffer(slot=(2, 96), cycles=None)),
        ("no cycles_max, which TFLM guesses for this shape: expected a number of calls",),
    ),
    "cycles_too_many": Rejected(
        _changed(0, buffer().tensors[0], buffer(cycles=2**31)),
        ("cycles_max is 2147483648, expected at most 2147483647",),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    """Buffers of any size and cycle, over a sequence."""
    model = buffer(
        slots=draw(st.integers(1, 6)),
        slot=(draw(FEW), draw(FEW)),
        cycles=draw(st.none() | st.integers(1, 7)),
        is_flagged=draw(st.booleans()),
        zero_point=draw(st.sampled_from((-128, -7, 0, 127))),
    )
    return _sequence(model)


MODELS = _models()
