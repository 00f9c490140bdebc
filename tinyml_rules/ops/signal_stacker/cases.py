"""Cases of SignalStacker: sequences, from the first frame on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, random, typed
from tinyml_rules.ops._shared.cases.signal import rejected, selected, signal_model, table
from tinyml_rules.ops._shared.cases.strategies import FEW


def _options(channels: int, left: int, right: int, step: int) -> dict[str, int]:
    return {
        "num_channels": channels,
        "stacker_left_context": left,
        "stacker_right_context": right,
        "stacker_step": step,
    }


def stacker(channels: int = 3, *, left: int = 2, right: int = 1, step: int = 1) -> ModelSpec:
    """Frames with those around them."""
    return signal_model(
        "SignalStacker",
        _options(channels, left, right, step),
        (typed("x", (channels,), "int16"),),
        typed("y", (channels * (left + 1 + right),), "int16"),
        typed("flag", (), "bool"),
    )


def _sequence(model: ModelSpec) -> Case:
    shape = (13, *model.tensors[0].shape)
    frames = random(3).integers(-32768, 32768, shape).astype(np.int16)
    return Case(selected(model), (frames,), is_sequence=True)


CASES = {
    "both": _sequence(stacker()),
    "every_third": _sequence(stacker(step=3)),
    "all_new": _sequence(stacker(2, step=4)),
    "left": _sequence(stacker(right=0, step=2)),
    "right": _sequence(stacker(left=0, right=3, step=2)),
    "alone": _sequence(stacker(left=0, right=0)),
    "reset": replace(_sequence(stacker(right=0)), is_sequence=False),
}
SAMPLES = ("every_third", "reset")

REJECTED = {
    "no_step": rejected(
        stacker(), "stacker_step is 0, expected 1 to 4", options=_options(3, 2, 1, 0)
    ),
    "step": rejected(stacker(), "stacker_step is 5, expected 1 to 4", options=_options(3, 2, 1, 5)),
    "left": rejected(
        stacker(),
        "stacker_left_context is -1, expected 0 to 32767",
        options=_options(3, -1, 1, 1),
    ),
    "channels": rejected(
        stacker(), "input tensor #0 'x' has shape [3], expected [4]", options=_options(4, 2, 1, 1)
    ),
    "flags": rejected(
        stacker(),
        "flag tensor #2 'flag' has 1 dimensions, expected 0",
        flag=typed("flag", (1,), "bool"),
    ),
    "constant": rejected(
        stacker(),
        "input tensor #0 'x' is a constant, expected computed values",
        x=table("x", np.ones(3)),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    """Any contexts, and any step that they have."""
    left, right = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    step = draw(st.integers(1, left + right + 1))
    return _sequence(stacker(draw(FEW), left=left, right=right, step=step))


MODELS = _models()
