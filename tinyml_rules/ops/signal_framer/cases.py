"""Cases of SignalFramer: sequences, from the first samples on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, random, typed
from tinyml_rules.ops._shared.cases.signal import rejected, selected, signal_model, table
from tinyml_rules.ops._shared.cases.strategies import FEW


def framer(
    size: int = 5,
    step: int = 2,
    *,
    steps: int = 1,
    streams: tuple[int, ...] = (),
    prefill: bool = False,
) -> ModelSpec:
    """Frames of so many steps at once."""
    return signal_model(
        "SignalFramer",
        {"frame_size": size, "frame_step": step, "prefill": prefill},
        (typed("x", (*streams, steps * step), "int16"),),
        typed("y", (*streams, steps, size), "int16"),
        typed("flag", (), "bool"),
    )


def _sequence(model: ModelSpec, *, seed: int = 1) -> Case:
    shape = (9, *model.tensors[0].shape)
    samples = random(seed).integers(-32768, 32768, shape).astype(np.int16)
    return Case(selected(model), (samples,), is_sequence=True)


CASES = {
    "odd": _sequence(framer()),
    "front_end": _sequence(framer(30, 20)),
    "prefill": _sequence(framer(prefill=True)),
    "steps": _sequence(framer(6, 2, steps=3)),
    "steps_with_prefill": _sequence(framer(7, 3, steps=2, streams=(2,), prefill=True)),
    "streams": _sequence(framer(4, 1, streams=(2, 2))),
    "no_overlap": _sequence(framer(3, 3)),
    "gaps": _sequence(framer(2, 3, streams=(2,))),
    "reset": replace(_sequence(framer(3, 1, steps=2, prefill=True)), is_sequence=False),
}
SAMPLES = ("odd", "steps_with_prefill")

REJECTED = {
    "step": rejected(
        framer(),
        "frame_step is 0, expected 1 to 2147483647",
        options={"frame_size": 5, "frame_step": 0, "prefill": False},
    ),
    "gaps_with_prefill": rejected(
        framer(),
        "frame_step is 6, expected 1 to 5",
        options={"frame_size": 5, "frame_step": 6, "prefill": True},
    ),
    "part_of_a_step": rejected(
        framer(),
        "input tensor #0 'x' has 3 samples, expected a multiple of 2",
        x=typed("x", (3,), "int16"),
    ),
    "frames": rejected(
        framer(),
        "output tensor #1 'y' has shape [1, 4], expected [1, 5]",
        y=typed("y", (1, 4), "int16"),
    ),
    "flags": rejected(
        framer(),
        "flag tensor #2 'flag' has 1 dimensions, expected 0",
        flag=typed("flag", (1,), "bool"),
    ),
    "constant": rejected(
        framer(),
        "input tensor #0 'x' is a constant, expected computed values",
        x=table("x", np.ones(2)),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    """Frames of any size; a part of those that do not fill at once is left out, as TFLM's own flag
    is that of all frames."""
    prefill, step, size = draw(st.booleans()), draw(FEW), draw(st.integers(1, 9))
    model = framer(
        max(size, step) if prefill else size,
        step,
        steps=draw(st.integers(1, 3)),
        streams=draw(st.sampled_from(((), (1,), (2,)))),
        prefill=prefill,
    )
    return _sequence(model)


MODELS = _models()
