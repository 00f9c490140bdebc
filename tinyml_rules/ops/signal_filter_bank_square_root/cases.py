"""Cases of SignalFilterBankSquareRoot."""

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, random, typed
from tinyml_rules.ops._shared.cases.signal import rejected, signal_model, table

ENDS = (
    *(0, 1, 2, 3, 6, 7, 2**32 - 1, 2**32, 2**32 - 65535, 2**32 - 65536, 2**32 - 131071),
    *(2**32 + 65536, 2**48 - 1, 2**62, 2**64 - 1, 2**64 - 2**32, 2**64 - 2**32 + 1),
)


def roots(count: int = len(ENDS)) -> ModelSpec:
    """The square roots of some sums."""
    return signal_model(
        "SignalFilterBankSquareRoot",
        {},
        (typed("x", (count,), "uint64"), typed("bits", (), "int32")),
        typed("y", (count,), "uint32"),
    )


def _case(count: int, seed: int) -> Case:
    generator = random(seed)
    numbers = generator.integers(0, 2**64, (32, count), dtype=np.uint64)
    sums = numbers >> generator.integers(0, 64, (32, count), dtype=np.uint64)
    return Case(roots(count), (sums, np.arange(32, dtype=np.int32)))


CASES = {
    "ends": Case(
        roots(), (np.array([ENDS, ENDS], np.uint64), np.array([0, 3], np.int32)), is_sequence=False
    ),
    "random": _case(40, 1),
}
SAMPLES = ("ends",)

REJECTED = {
    "constant": rejected(
        roots(),
        "scale_bits tensor #1 'bits' is a constant, expected computed values",
        bits=table("bits", 3, "int32"),
    ),
    "vector_of_bits": rejected(
        roots(),
        "scale_bits tensor #1 'bits' has 1 dimensions, expected 0",
        bits=typed("bits", (1,), "int32"),
    ),
}

MODELS = st.builds(_case, st.integers(1, 9), st.integers(0, 1000))
