"""Cases of SignalOverlapAdd."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, random, typed
from tinyml_rules.ops._shared.cases.signal import rejected, signal_model, table

NUMBERS = {"int16": 7, "float32": 0}


def overlap(shape: tuple[int, ...] = (2, 5), step: int = 2, *, dtype: str = "int16") -> ModelSpec:
    """Frames that overlap."""
    return signal_model(
        "SignalOverlapAdd",
        {"T": NUMBERS[dtype], "frame_step": step},
        (typed("x", shape, dtype),),
        typed("y", (*shape[:-2], shape[-2] * step), dtype),
    )


def _sequence(model: ModelSpec, *, most: int = 32768) -> Case:
    tensor = model.tensors[0]
    frames = random(3).integers(-most, most, (5, *tensor.shape))
    values = frames if tensor.dtype == "int16" else frames / np.float32(37)
    return Case(model, (values.astype(tensor.dtype),), is_sequence=True)


CASES = {
    "frames": _sequence(overlap(), most=9000),
    "saturates": _sequence(overlap((2, 3, 7), 1)),
    "no_overlap": _sequence(overlap((1, 4), 4)),
    "real": _sequence(overlap((2, 2, 5), 2, dtype="float32")),
    "reset": replace(_sequence(overlap()), is_sequence=False),
}
SAMPLES = ("saturates", "real")

REJECTED = {
    "step": rejected(
        overlap(), "frame_step is 6, expected 1 to 5", options={"T": 7, "frame_step": 6}
    ),
    "no_step": rejected(
        overlap(), "frame_step is 0, expected 1 to 2147483647", options={"T": 7, "frame_step": 0}
    ),
    "type": rejected(overlap(), "T is 0, expected 7", options={"T": 0, "frame_step": 2}),
    "constant": rejected(
        overlap(),
        "input tensor #0 'x' is a constant, expected computed values",
        x=table("x", np.ones((2, 5))),
    ),
}

MODELS = st.builds(
    lambda streams, frames, size, step, dtype: _sequence(
        overlap((streams, frames, max(size, step)), step, dtype=dtype)
    ),
    *(st.integers(1, 2), st.integers(1, 3), st.integers(1, 7), st.integers(1, 7)),
    st.sampled_from(tuple(NUMBERS)),
)
