"""Cases of SignalDelay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, random, typed
from tinyml_rules.ops._shared.cases.signal import rejected, signal_model, table
from tinyml_rules.ops._shared.cases.strategies import FEW


def delay(length: int = 3, shape: tuple[int, ...] = (2, 5)) -> ModelSpec:
    """Streams, later."""
    return signal_model(
        "SignalDelay",
        {"delay_length": length},
        (typed("x", shape, "int16"),),
        typed("y", shape, "int16"),
    )


def _sequence(model: ModelSpec) -> Case:
    shape = (5, *model.tensors[0].shape)
    samples = random(3).integers(-32768, 32768, shape).astype(np.int16)
    return Case(model, (samples,), is_sequence=True)


CASES = {
    "less": _sequence(delay()),
    "more": _sequence(delay(12)),
    "as_many": _sequence(delay(5, (5,))),
    "reset": replace(_sequence(delay()), is_sequence=False),
}
SAMPLES = ("more",)

REJECTED = {
    "none": rejected(
        delay(), "delay_length is 0, expected 1 to 2147483647", options={"delay_length": 0}
    ),
    "constant": rejected(
        delay(),
        "input tensor #0 'x' is a constant, expected computed values",
        x=table("x", np.ones((2, 5))),
    ),
}

MODELS = st.builds(
    lambda length, streams, samples: _sequence(delay(length, (streams, samples))),
    *(st.integers(1, 12), FEW, FEW),
)
