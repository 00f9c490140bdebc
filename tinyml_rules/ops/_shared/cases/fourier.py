"""Cases of the Fourier transforms of real numbers: every radix, alone and after others."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import AnyArray, Case, Rejected, random, typed
from tinyml_rules.ops._shared.cases.signal import rejected, signal_model, signals, table

NUMBERS = {"int16": 7, "int32": 2, "float32": 0}
LENGTHS = {
    "int16": (4, 6, 8, 10, 16, 20, 24, 30, 32, 36, 48, 50, 64, 80, 90, 120, 150, 160, 240),
    "int32": (4, 24, 36, 50, 120),
    "float32": (6, 16, 30, 90, 150),
}


def transform(
    length: int,
    dtype: str = "int16",
    *,
    rows: tuple[int, ...] = (),
    given: int | None = None,
    is_inverse: bool = False,
) -> ModelSpec:
    """Vectors of so many numbers, the given ones of them if not all."""
    source, result = (length + 2, length) if is_inverse else (given or length, length + 2)
    return signal_model(
        "SignalIrfft" if is_inverse else "SignalRfft",
        {"T": NUMBERS[dtype], "fft_length": length},
        (typed("x", (*rows, source), dtype),),
        typed("y", (*rows, result), dtype),
    )


def transform_case(length: int, dtype: str = "int16", *, seed: int = 1, **options: Any) -> Case:
    """Noise and signals."""
    model = transform(length, dtype, **options)
    return Case(model, (_values(model.tensors[0].shape, dtype, seed),))


def _values(shape: tuple[int, ...], dtype: str, seed: int) -> AnyArray:
    short = signals(4, shape, seed=seed)
    if dtype == "int16":
        return short
    generator = random(seed)
    if dtype == "int32":
        return (short.astype(np.int64) * 65536 + generator.integers(0, 65536, short.shape)).astype(
            np.int32
        )
    return (short * generator.normal(0, 1, short.shape)).astype(np.float32)


def cases(*, is_inverse: bool) -> dict[str, Case]:
    """Of all types and lengths."""
    found = {
        f"{dtype}_{length}": transform_case(length, dtype, is_inverse=is_inverse)
        for dtype in NUMBERS
        for length in LENGTHS[dtype]
    }
    found["rows"] = transform_case(12, rows=(2, 1), is_inverse=is_inverse)
    found["of_512"] = transform_case(512, is_inverse=is_inverse)
    if not is_inverse:
        found["short"] = transform_case(32, given=21, rows=(2,))
        found["short_of_512"] = transform_case(512, given=481, rows=(2,))
        found["short_reals"] = transform_case(20, "float32", given=3)
    return found


SAMPLES = ("int16_30", "int32_24", "float32_30", "rows", "of_512")


def wrong_nodes(*, is_inverse: bool) -> dict[str, Rejected]:
    """Nodes that `check` refuses."""
    model = transform(16, is_inverse=is_inverse)
    source, result = (18, 16) if is_inverse else (16, 18)
    expected = "expected an even number from 4 to 65536 without prime factors above 5"
    found = {
        f"length_{length}": rejected(
            model, f"fft_length is {length}, {expected}", options={"T": 7, "fft_length": length}
        )
        for length in (14, 15, 2, 0, 131072)
    }
    wanted = "18" if is_inverse else "at most 16"
    return found | {
        "type": rejected(model, "T is 2, expected 7", options={"T": 2, "fft_length": 16}),
        "long": rejected(
            model,
            f"input tensor #0 'x' has vectors of 20 values, expected {wanted}",
            x=typed("x", (20,), "int16"),
        ),
        "result": rejected(
            model,
            f"output tensor #1 'y' has shape [3], expected [{result}]",
            y=typed("y", (3,), "int16"),
        ),
        "constant": rejected(
            model,
            "input tensor #0 'x' is a constant, expected computed values",
            x=table("x", np.ones(source)),
        ),
    }


def models(*, is_inverse: bool) -> st.SearchStrategy[Case]:
    """Transforms of all factors and types."""
    return st.builds(
        lambda factors, dtype, rows, seed: transform_case(
            2 * 2 ** factors[0] * 3 ** factors[1] * 5 ** factors[2],
            dtype,
            rows=(rows,),
            seed=seed,
            is_inverse=is_inverse,
        ),
        st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 1)).filter(any),
        st.sampled_from(tuple(NUMBERS)),
        st.integers(1, 2),
        st.integers(0, 1000),
    )
