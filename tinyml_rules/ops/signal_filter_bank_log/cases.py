"""Cases of SignalFilterBankLog."""

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, random, typed
from tinyml_rules.ops._shared.cases.signal import rejected, signal_model, table

ENDS = (0, 1, 2, 3, 4, 127, 128, 2**16 - 1, 2**16, 2**17, 2**29 - 1, 2**29, 2**31, 2**32 - 1)


def logs(count: int = len(ENDS), *, bits: int = 3, scale: int = 64) -> ModelSpec:
    """The logarithms of some values."""
    return signal_model(
        "SignalFilterBankLog",
        {"input_correction_bits": bits, "output_scale": scale},
        (typed("x", (count,), "uint32"),),
        typed("y", (count,), "int16"),
    )


def _case(model: ModelSpec, *, seed: int = 1) -> Case:
    generator = random(seed)
    shape = (30, *model.tensors[0].shape)
    values = generator.integers(0, 2**32, shape, dtype=np.uint32)
    return Case(model, (values >> generator.integers(0, 32, shape, dtype=np.uint32),))


CASES = {
    "ends": Case(logs(bits=0), (np.array([ENDS], np.uint32),)),
    "front_end": _case(logs(40)),
    "saturates": _case(logs(scale=5000)),
    "wraps": _case(logs(scale=100_000, bits=0)),
    "negative": _case(logs(scale=-1)),
    "all_shifted": _case(logs(bits=31)),
}
SAMPLES = ("ends", "saturates")

REJECTED = {
    "shift": rejected(
        logs(),
        "input_correction_bits is 32, expected 0 to 31",
        options={"input_correction_bits": 32, "output_scale": 64},
    ),
    "scale": rejected(
        logs(),
        "output_scale is 2147483648, expected -2147483648 to 2147483647",
        options={"input_correction_bits": 3, "output_scale": 2**31},
    ),
    "constant": rejected(
        logs(),
        "input tensor #0 'x' is a constant, expected computed values",
        x=table("x", np.ones(len(ENDS)), "uint32"),
    ),
}

MODELS = st.builds(
    lambda count, bits, scale, seed: _case(logs(count, bits=bits, scale=scale), seed=seed),
    st.integers(1, 9),
    st.integers(0, 31),
    st.integers(0, 2000) | st.integers(-(2**31), 2**31 - 1),
    st.integers(0, 1000),
)
