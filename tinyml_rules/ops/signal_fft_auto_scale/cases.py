"""Cases of SignalFftAutoScale."""

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, typed
from tinyml_rules.ops._shared.cases.signal import rejected, signal_model, signals, table


def scaled(count: int = 5) -> ModelSpec:
    """A vector, and how far it was shifted."""
    return signal_model(
        "SignalFftAutoScale",
        {},
        (typed("x", (count,), "int16"),),
        typed("y", (count,), "int16"),
        typed("bits", (), "int32"),
    )


ENDS = (
    *((-32768, 1, 2, 3, 0), (1, -32768, 0, 0, 0), (1, 2, 3, 4, -32768), (-32768, -32768, 1, 0, 0)),
    *((0, 0, 0, 0, 1), (-1, 0, 0, 0, 0), (16383, 0, 0, 0, 0), (16384, 0, 0, 0, 0)),
    *((0, 0, -16384, 0, 0), (32767, 0, 0, 0, -32768), (-32768, -5, -32768, 0, 9)),
)
CASES = {
    "signals": Case(scaled(480), (signals(17, (480,)),)),
    "ends": Case(scaled(), (np.array(ENDS, np.int16),)),
    "one": Case(scaled(1), (signals(17, (1,)),)),
}
SAMPLES = ("ends",)

REJECTED = {
    "constant": rejected(
        scaled(),
        "input tensor #0 'x' is a constant, expected computed values",
        x=table("x", np.ones(5)),
    ),
    "vector_of_bits": rejected(
        scaled(),
        "scale_bits tensor #2 'bits' has 1 dimensions, expected 0",
        bits=typed("bits", (1,), "int32"),
    ),
}

MODELS = st.builds(
    lambda count, seed: Case(scaled(count), (signals(17, (count,), seed=seed),)),
    *(st.integers(1, 40), st.integers(0, 1000)),
)
