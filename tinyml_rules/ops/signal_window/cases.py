"""Cases of SignalWindow."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, random, typed
from tinyml_rules.ops._shared.cases.signal import rejected, signal_model, signals, table
from tinyml_rules.ops._shared.cases.strategies import FEW


def window(shape: tuple[int, ...] = (2, 7), *, shift: int = 12, most: int = 4096) -> ModelSpec:
    """A window of weights up to `most` in size."""
    weights = random(2).integers(-most, most, shape[-1], endpoint=True).clip(-32768, 32767)
    return signal_model(
        "SignalWindow",
        {"shift": shift},
        (typed("x", shape, "int16"), table("weights", weights)),
        typed("y", shape, "int16"),
    )


def _case(model: ModelSpec) -> Case:
    return Case(model, (signals(4, model.tensors[0].shape),))


CASES = {
    "vectors": _case(window()),
    "one_vector": _case(window((480,))),
    "saturates": _case(window(shift=10, most=32768)),
    "without_shift": _case(window((3,), shift=0, most=2)),
    "all_shifted": _case(window((2, 1, 5), shift=31, most=32768)),
}
SAMPLES = ("vectors", "saturates")

REJECTED = {
    "shift": rejected(window(), "shift is 32, expected 0 to 31", options={"shift": 32}),
    "weights": rejected(
        window(),
        "weights tensor #1 'weights' has shape [6], expected [7]",
        weights=table("weights", np.ones(6)),
    ),
    "computed": rejected(
        window(),
        "weights tensor #1 'weights' is computed at run time, expected a constant",
        weights=typed("weights", (7,), "int16"),
    ),
    "constant": rejected(
        window(),
        "input tensor #0 'x' is a constant, expected computed values",
        x=replace(table("x", np.ones((2, 7)))),
    ),
}

MODELS = st.builds(
    lambda rows, length, shift, most: _case(window((rows, length), shift=shift, most=most)),
    *(FEW, FEW, st.integers(0, 31), st.sampled_from((1, 4096, 32768))),
)
