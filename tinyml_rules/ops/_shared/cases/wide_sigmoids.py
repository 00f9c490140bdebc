"""Cases of LOGISTIC and TANH of int16: scales that are shifted and multiplied, values around the
table's entries and ends, and what is refused.

tests/ops/test_every_int16.py asks for every value."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec
from tinyml_rules.ops._shared.cases.case import (
    AnyArray,
    Case,
    Rejected,
    every_value_case,
    model_of,
    quantized,
    random,
    wide,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.real_maps import SHAPES
from tinyml_rules.ops._shared.cases.strategies import Shape

_OF_RESULT = 2.0**-15

SCALES = (
    *(2.0**-15, 2.0**-12, 2.0**-12 * 1.0006, 2.0**-12 * 1.0008, 2.0**-11, 2.0**-10, 2.0**-3, 1.0),
    *(3.0517578e-5 * 1.1, 1e-4, 0.000244, 0.0004, 1e-3, 0.0107, 1.3333, 2.6666, 1e-9),
)
"""TFLM takes the third for 2^-12, and not the fourth; 1.3333 has the least multiplier."""


def wide_map(operator: str, shape: Shape = (1, 64), *, scale: float = 2.0**-12) -> ModelSpec:
    """One node of int16."""
    result = wide("output", shape, scale=_OF_RESULT)
    return model_of(operator, (wide("input", shape, scale=scale),), result)


def _values(scale: float) -> AnyArray:
    """Three samples of 64: both ends and 0, values around places of the table, and any."""
    places = np.array([1, 2, 3, 127, 128, 200, 254, 255, 256]) * 256 / (scale * 3 * 2**12)
    signed = np.concatenate([places, 2 * places, -places, -2 * places])
    near = np.add.outer(signed, np.array([-1, 0, 1]))
    ends = np.array([-32768, -32767, -1, 0, 1, 32767, 5, -5])
    listed = np.concatenate([ends, np.clip(near, -32768, 32767).astype(np.int64).reshape(-1)])
    drawn = random(9).integers(-32768, 32768, 192)
    drawn[: listed.size] = listed
    return drawn.astype(np.int16).reshape(3, 64)


def wide_cases(operator: str) -> dict[str, Case]:
    """Every scale, a scalar, between conversions, and an output whose scale is only almost that of
    the specification."""
    found = {
        f"int16_scale_{number}": Case(
            wide_map(operator, scale=scale), (_values(scale).reshape(3, 1, 64),)
        )
        for number, scale in enumerate(SCALES)
    }
    scalar = _values(1e-4).reshape(-1)[:20]
    found["int16_scalar"] = Case(wide_map(operator, (), scale=1e-4), (scalar,))
    found["int16_between_bytes"] = every_value_case(_between_bytes(operator))
    almost = with_tensor(wide_map(operator), 1, scales=(_OF_RESULT * 1.0006,))
    found["int16_almost_the_output_scale"] = Case(almost, (_values(2.0**-12).reshape(3, 1, 64),))
    return found


def _between_bytes(operator: str) -> ModelSpec:
    """From int8 and back: a table of 256 values."""
    first = quantized("first", (1, 64), scale=0.04, zero_point=-9)
    last = quantized("last", (1, 64), scale=1 / 100, zero_point=3)
    source, result = wide_map(operator, scale=0.04 / 256).tensors
    operators = (
        OperatorSpec("QUANTIZE", (0,), (1,), version=2),
        OperatorSpec(operator, (1,), (2,)),
        OperatorSpec("QUANTIZE", (2,), (3,), version=2),
    )
    return ModelSpec((first, source, result, last), operators, (0,), (3,))


def wide_rejected(operator: str) -> dict[str, Rejected]:
    """Zero points, and scales that the multiplier cannot have."""
    model = wide_map(operator)

    def wrong(error: str, tensor: int, scale: float, zero_point: int = 0) -> Rejected:
        changed = with_tensor(model, tensor, scales=(scale,), zero_points=(zero_point,))
        return Rejected(changed, (error,))

    bounds = "expected at least 3.79e-14 and less than 2.6667: its multiplier has 15 bits"
    fixed = "expected 1/32768 (3.05176e-05) and 0"
    return {
        "int16_zero_point": wrong(
            "input tensor #0 'input' has zero point 3, expected 0", 0, 2.0**-12, 3
        ),
        "int16_output_zero_point": wrong(
            f"output tensor #1 'output' has scale 3.05176e-05 and zero point -1, {fixed}",
            *(1, _OF_RESULT, -1),
        ),
        "int16_output_scale": wrong(
            f"output tensor #1 'output' has scale 6.10352e-05 and zero point 0, {fixed}",
            *(1, 2 * _OF_RESULT),
        ),
        "int16_scale_too_large": wrong(
            f"input tensor #0 'input' has scale 2.66667, {bounds}", 0, 8 / 3
        ),
        "int16_scale_too_small": wrong(
            f"input tensor #0 'input' has scale 1e-14, {bounds}", 0, 1e-14
        ),
    }


@st.composite
def wide_models(draw: st.DrawFn, operator: str) -> Case:
    """Any scale, and any shape."""
    scale = draw(st.sampled_from(SCALES) | st.floats(2.0**-17, 2.0, width=32))
    model = wide_map(operator, draw(SHAPES), scale=scale)
    shape = model.tensors[0].shape
    seed = draw(st.integers(0, 2**16))
    values = random(seed).integers(-32768, 32768, (2, *shape)).astype(np.int16)
    return Case(model, (values,))
