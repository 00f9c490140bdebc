"""Cases of SignalFilterBankSpectralSubtraction: sequences, in which the estimate follows."""

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, random, typed
from tinyml_rules.ops._shared.cases.signal import rejected, signal_model, table

OPTIONS = {
    "alternate_one_minus_smoothing": 15401,
    "alternate_smoothing": 983,
    "clamping": False,
    "min_signal_remaining": 819,
    "num_channels": 5,
    "one_minus_smoothing": 15975,
    "smoothing": 409,
    "smoothing_bits": 10,
    "spectral_subtraction_bits": 14,
}


def subtraction(**options: Any) -> ModelSpec:
    """Noise that is subtracted, with the front end's numbers unless others are given."""
    found = {**OPTIONS, **options}
    shape = (found["num_channels"],)
    return signal_model(
        "SignalFilterBankSpectralSubtraction",
        found,
        (typed("x", shape, "uint32"),),
        typed("y", shape, "uint32"),
        typed("noise", shape, "uint32"),
    )


def _sequence(model: ModelSpec, *, seed: int = 1) -> Case:
    generator = random(seed)
    shape = (14, *model.tensors[0].shape)
    values = generator.integers(0, 2**32, shape, dtype=np.uint32) >> generator.integers(
        0, 32, shape, dtype=np.uint32
    )
    values[3:6], values[8], values[9] = 0, 2**32 - 1, 1
    return Case(model, (values,), is_sequence=True)


CASES = {
    "front_end": _sequence(subtraction(num_channels=40)),
    "clamping": _sequence(subtraction(clamping=True)),
    "no_shifts": _sequence(
        subtraction(
            smoothing_bits=0, spectral_subtraction_bits=0, smoothing=1, one_minus_smoothing=0
        )
    ),
    "large_shifts": _sequence(
        subtraction(smoothing_bits=31, spectral_subtraction_bits=40, smoothing=2**31 - 1)
    ),
    "reset": replace(_sequence(subtraction()), is_sequence=False),
}
SAMPLES = ("clamping", "reset")

REJECTED = {
    "shift": rejected(
        subtraction(),
        "smoothing_bits is 32, expected 0 to 31",
        options={**OPTIONS, "smoothing_bits": 32},
    ),
    "factor": rejected(
        subtraction(),
        "smoothing is -1, expected 0 to 2147483647",
        options={**OPTIONS, "smoothing": -1},
    ),
    "channels": rejected(
        subtraction(),
        "input tensor #0 'x' has shape [5], expected [6]",
        options={**OPTIONS, "num_channels": 6},
    ),
    "constant": rejected(
        subtraction(),
        "input tensor #0 'x' is a constant, expected computed values",
        x=table("x", np.ones(5), "uint32"),
    ),
}

_FACTORS = st.integers(0, 2**14)
MODELS = st.builds(
    lambda bits, seed, **options: _sequence(
        subtraction(smoothing_bits=bits[0], spectral_subtraction_bits=bits[1], **options), seed=seed
    ),
    st.tuples(st.integers(0, 31), st.integers(0, 63)),
    st.integers(0, 1000),
    clamping=st.booleans(),
    smoothing=_FACTORS,
    one_minus_smoothing=_FACTORS,
    alternate_smoothing=_FACTORS,
    alternate_one_minus_smoothing=_FACTORS,
    min_signal_remaining=_FACTORS,
    num_channels=st.integers(1, 5),
)
