"""Cases of SignalPCAN."""

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, random, typed
from tinyml_rules.ops._shared.cases.signal import rejected, signal_model, table
from tinyml_rules.ops.signal_pcan import GAINS

NOISE = (0, 1, 2, 3, 4, 7, 8, 1023, 1024, 2047, 2048, 2**31 - 1, 2**31, 2**32 - 1)
RATIOS = (0, 1, 8191, 8192, 8193, 2**16, 2**26, 2**32 - 1)


def gains(*, seed: int = 3, least: int = 0) -> np.ndarray:
    """A table of any polynomials."""
    return random(seed).integers(least, 32768, GAINS).astype(np.int16)


def pcan(count: int = 6, *, shift: int = 6, table_of: np.ndarray | None = None) -> ModelSpec:
    """Channels with a gain."""
    return signal_model(
        "SignalPCAN",
        {"snr_shift": shift},
        (
            typed("x", (count,), "uint32"),
            typed("noise", (count,), "uint32"),
            table("gains", gains() if table_of is None else table_of),
        ),
        typed("y", (count,), "uint32"),
    )


def _case(model: ModelSpec, *, seed: int = 1) -> Case:
    generator = random(seed)
    shape = (20, *model.tensors[0].shape)
    drawn = [
        generator.integers(0, 2**32, shape, dtype=np.uint32)
        >> generator.integers(0, 32, shape, dtype=np.uint32)
        for _ in range(2)
    ]
    drawn[1][: len(NOISE), 0] = NOISE
    drawn[0][: len(RATIOS), -1] = RATIOS
    return Case(model, tuple(drawn))


ONES = np.zeros(GAINS, np.int16)
ONES[:3] = 1
ONES[6::4] = 1
CASES = {
    "front_end": _case(pcan(40)),
    "negative": _case(pcan(table_of=gains(least=-32768))),
    "largest": _case(pcan(table_of=np.full(GAINS, 32767, np.int16))),
    "lowest": _case(pcan(table_of=np.full(GAINS, -32768, np.int16))),
    "of_one": _case(pcan(table_of=ONES, shift=0)),
    "shifted": _case(pcan(shift=33)),
}
SAMPLES = ("front_end", "lowest")

REJECTED = {
    "table": rejected(
        pcan(),
        "gains tensor #2 'gains' has 124 values, expected 125",
        gains=table("gains", np.ones(124)),
    ),
    "shift": rejected(pcan(), "snr_shift is 64, expected 0 to 63", options={"snr_shift": 64}),
    "constant": rejected(
        pcan(),
        "noise tensor #1 'noise' is a constant, expected computed values",
        noise=table("noise", np.ones(6), "uint32"),
    ),
}

MODELS = st.builds(
    lambda count, shift, seed: _case(
        pcan(count, shift=shift, table_of=gains(seed=seed, least=-32768)), seed=seed
    ),
    *(st.integers(1, 9), st.integers(0, 63), st.integers(0, 1000)),
)
