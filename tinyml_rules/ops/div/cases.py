"""Cases of DIV: types, quotients by 0, ties, and what is refused.

If a quotient of int8 is too small, TFLM shifts by more than 31 bits, which C does not define: with
the scales here the output resolves each quotient.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.arithmetic import (
    CLAMPS,
    arithmetic_rejected,
    arithmetic_samples,
    scaled_int32,
)
from tinyml_rules.ops._shared.cases.broadcast import BROADCASTS
from tinyml_rules.ops._shared.cases.case import (
    EVERY_INT8,
    AnyArray,
    Case,
    Rejected,
    random,
    random_case,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.pairs import FEW_BROADCASTS, FINITE, every_pair, pair
from tinyml_rules.ops._shared.cases.strategies import ACTIVATIONS, ZERO_POINTS, broadcast_shapes

_FINE = (0.5, 0.02, 0.3)
"""Scales by which the least quotient is more than 2^-31 of what int32 holds."""
_DIVISORS = {
    "int32": (1 - 2**31, -46341, -7, -2, -1, 1, 2, 3, 46341, 2**31 - 1),
    "float32": tuple(value for value in FINITE if value),
}


def _numbers(shape: tuple[int, ...], dtype: str, *, seed: int, is_divisor: bool) -> AnyArray:
    """Random numbers; integer divisors are not 0, and int32 holds the quotients."""
    generator = random(seed)
    if dtype == "float32":
        reals = generator.normal(0, 10, shape).astype(np.float32)
        return np.where(reals == 0, np.float32(1), reals)
    if dtype == "int8":
        return generator.integers(-128, 128, shape).astype(np.int8)
    most = 1000 if is_divisor else 2**31 - 1
    values = generator.integers(-most, most, shape, dtype=np.int32)
    return np.where(values == 0, np.int32(1), values) if is_divisor else values


def _case(model: ModelSpec, *, known: tuple[bool, bool] = (False, False)) -> Case:
    """Numbers for the inputs, `known` ones in the file."""
    tensors, samples = list(model.tensors), []
    for place, is_known in enumerate(known):
        each = tensors[place]
        values = _numbers((4, *each.shape), each.dtype, seed=place, is_divisor=place == 1)
        if is_known:
            tensors[place] = replace(each, data=np.asarray(values[0]))
        else:
            samples.append(values)
    inputs = tuple(place for place, is_known in enumerate(known) if not is_known)
    return Case(replace(model, tensors=tuple(tensors), inputs=inputs), tuple(samples))


def _every(
    scales: tuple[float, float, float], zero_points: tuple[int, int, int] = (0, 0, 0)
) -> Case:
    """Every value by every value."""
    model = pair("DIV", "int8", (1, 256), (1, 256), scales=scales, zero_points=zero_points)
    firsts = np.tile(EVERY_INT8, (256, 1)).reshape(256, 1, 256)
    return Case(model, (firsts, np.repeat(EVERY_INT8, 256).reshape(256, 1, 256)))


CASES = {
    **{
        f"{dtype}{name}": _case(pair("DIV", dtype, *shapes, scales=_FINE), known=known)
        for dtype in ("int8", "int32", "float32")
        for name, shapes, known in (
            ("", ((1, 4, 6), (1, 4, 6)), (False, False)),
            *(
                (f"_{broadcast}{suffix}", both, known)
                for broadcast in FEW_BROADCASTS
                for suffix, both, known in (
                    ("", BROADCASTS[broadcast], (False, False)),
                    ("_swapped", BROADCASTS[broadcast][::-1], (False, False)),
                    ("_constant", BROADCASTS[broadcast], (False, True)),
                    ("_constant_first", BROADCASTS[broadcast], (True, False)),
                )
            ),
        )
    },
    "every_value": _every(_FINE),
    "every_value_by_lowest": _every((0.5, 0.01, 0.4), (5, -128, 3)),
    "every_value_of_lowest": _every((0.25, 0.02, 0.1), (-128, 127, -128)),
    "ties": _every((1.0, 1 / 64, 0.5)),
    "float32_of_all": every_pair(pair("DIV", "float32"), _DIVISORS["float32"]),
    # the product of two scales and the quotient are in double
    "scales_in_double": random_case(
        pair("DIV", "int8", (8, 64), (1,), constants=(False, True), scales=(0.1, 0.02, 0.2))
    ),
    "table": random_case(pair("DIV", "int8", (8, 64), (1,), constants=(False, True), scales=_FINE)),
    **{
        f"{dtype}_{activation.name.lower()}": every_pair(
            pair("DIV", dtype, options={"FusedActivationFunction": activation}), _DIVISORS[dtype]
        )
        for dtype in _DIVISORS
        for activation in CLAMPS
    },
}
SAMPLES = arithmetic_samples(is_ordered=True)
REJECTED = {
    **arithmetic_rejected("DIV"),
    "scaled_int32": scaled_int32("DIV"),
    "int32_by_0": Rejected(
        with_tensor(pair("DIV", "int32"), 1, data=np.zeros((1, 4, 6), np.int32)),
        ("second input tensor #1 'second' has a 0, which would be a division by zero",),
    ),
    "output_scale_too_small": Rejected(
        pair("DIV", "int8", scales=(2.0, 2.0**-11, 2.0**-10)),
        (
            "output tensor #2 'output' has scale 0.000976562, too small for a quotient of 2 and "
            "0.000488281",
        ),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    dtype = draw(st.sampled_from(("int8", "int32", "float32")))
    first, second = draw(broadcast_shapes(most_rank=5))
    model = pair(
        "DIV",
        dtype,
        first,
        second,
        scales=draw(
            st.tuples(st.floats(0.5, 2.0, width=32), *[st.floats(2.0**-9, 2.0**-4, width=32)] * 2)
        ),
        zero_points=draw(st.tuples(ZERO_POINTS, ZERO_POINTS, ZERO_POINTS)),
        options={"FusedActivationFunction": draw(ACTIVATIONS)},
    )
    return _case(model, known=draw(st.sampled_from(((False, False), (False, True), (True, False)))))


MODELS = _models()
