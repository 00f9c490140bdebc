"""Cases of SOFTMAX: depths, scales from flat to a table of one entry, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    EVERY_INT8,
    AnyArray,
    Case,
    Rejected,
    model_of,
    quantized,
    random,
    random_case,
    typed,
    wide,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.strategies import SCALES, ZERO_POINTS, shapes


def softmax(
    shape: tuple[int, ...] = (1, 10),
    *,
    scale: float = 0.1,
    beta: float = 1.0,
    zero_point: int = 5,
    is_wide: bool = False,
) -> ModelSpec:
    """A softmax along the last dimension; a wide one gives int16."""
    output = quantized("output", shape, scale=1 / 256, zero_point=-128)
    if is_wide:
        output = replace(output, dtype="int16", scales=(2.0**-16,), zero_points=(-(2**15),))
    return model_of(
        "SOFTMAX",
        (quantized("input", shape, scale=scale, zero_point=zero_point),),
        output,
        options={"Beta": beta},
        version=2,
    )


def _spread(depth: int, *, scale: float) -> Case:
    """Random values alone: TFLM stops the program where 512 of them or more are equal."""
    samples = random().integers(-128, 128, (3, 1, depth)).astype(np.int8)
    return Case(softmax((1, depth), scale=scale), (samples,))


def _every_distance(scale: float, *, beta: float = 1.0, is_wide: bool = False) -> Case:
    """The highest value next to each value once."""
    pairs = np.stack([np.full(256, 127, np.int8), EVERY_INT8], axis=-1)
    model = softmax((1, 2), scale=scale, beta=beta, is_wide=is_wide)
    return Case(model, (pairs.reshape(-1, 1, 2),))


CASES = {
    "depth_1": random_case(softmax((1, 1))),
    "depth_2": random_case(softmax((1, 2))),
    "depth_10": random_case(softmax()),
    "depth_511": random_case(softmax((1, 511))),
    "depth_1000": _spread(1000, scale=0.1),
    "depth_1000_steep": _spread(1000, scale=1.0),
    "batches": random_case(softmax((5, 4))),
    "rank_1": random_case(softmax((7,))),
    "rank_3": random_case(softmax((2, 3, 4))),
    "rank_4": random_case(softmax((1, 2, 3, 5))),
    "beta_half": random_case(softmax(beta=0.5)),
    "beta_10": random_case(softmax(beta=10.0)),
    "scale_flat": random_case(softmax(scale=0.0001)),
    "scale_least": random_case(softmax(scale=2.0**-25)),
    "scale_steep": random_case(softmax(scale=3.0)),
    "table_of_one_entry": random_case(softmax(scale=100.0)),
    "scale_beyond_int32": random_case(softmax(scale=1e9)),
    "every_distance": _every_distance(0.05),
    "every_distance_at_the_radius": _every_distance(31 / 255),
    "every_distance_coarse": _every_distance(0.9, beta=1.5),
    "wide": random_case(softmax(is_wide=True)),
    "wide_depth_1": random_case(softmax((3, 1), is_wide=True)),
    "wide_depth_300": random_case(softmax((2, 300), is_wide=True)),
    "wide_steep": random_case(softmax((2, 3, 4), scale=3.0, is_wide=True)),
    "wide_every_distance": _every_distance(0.05, is_wide=True),
    "wide_scale_of_65535": random_case(
        with_tensor(softmax(is_wide=True), 1, scales=(1 / 65535,), zero_points=(-(2**15),))
    ),
    "wide_every_distance_coarse": _every_distance(0.9, beta=1.5, is_wide=True),
}


def real(shape: tuple[int, ...], rows: AnyArray, *, beta: float = 1.0) -> Case:
    """SOFTMAX of real numbers; `rows` are samples."""
    model = model_of(
        "SOFTMAX",
        (typed("input", shape, "float32"),),
        typed("output", shape, "float32"),
        options={"Beta": beta},
    )
    return Case(model, (rows.reshape(-1, *shape).astype(np.float32),))


CASES |= {
    # sums of 1 and 0, on which all exponentials agree
    "real_equal": real((2, 7), np.repeat([0.0, -3.5, 1e30, -1e-40], 7)),
    "real_far_apart": real((2, 2, 3), np.array([300, 0, -300, 1e38, -1e38, 3] * 4), beta=2.0),
    "real_one": real((1,), np.array([5.0, -0.0, 3e38])),
    "real_flat": real((4,), np.arange(8.0), beta=0.0),
}


def of_int16(
    shape: tuple[int, ...] = (1, 10), *, scale: float = 2.0**-12, beta: float = 1.0
) -> ModelSpec:
    """A softmax from int16 to int16."""
    source, result = wide("input", shape, scale=scale), wide("output", shape, scale=2.0**-15)
    return model_of("SOFTMAX", (source,), result, options={"Beta": beta}, version=2)


def _every_entry(scale: float) -> Case:
    """Of two values the distance is from 0 to beyond -10, in steps of half an entry of the table;
    of up to 256 there are sums that reach each entry of the other."""
    steps = np.arange(0, 65536, 63)
    rows = np.stack([np.full(steps.size, 32767), 32767 - steps], axis=-1)
    return Case(of_int16((1, 2), scale=scale), (rows.reshape(-1, 1, 2).astype(np.int16),))


def _every_sum() -> Case:
    """One large value next to 7 alike whose exponentials reach from nothing to as much again."""
    others = np.linspace(-32768, 32767, 2048).astype(np.int16)
    rows = np.repeat(others[:, np.newaxis], 8, axis=1)
    rows[:, 3] = 32767
    return Case(of_int16((1, 8), scale=2.0**-13), (rows.reshape(-1, 1, 8),))


CASES |= {
    "int16": random_case(of_int16()),
    "int16_rows": random_case(of_int16((2, 3, 40), scale=2.0**-14)),
    "int16_one": random_case(of_int16((3, 1))),
    "int16_deep": random_case(of_int16((1, 3000), scale=2.0**-15)),
    "int16_flat": random_case(of_int16(scale=1e-9)),
    "int16_steep": random_case(of_int16(scale=2.0**-5, beta=3.0)),
    "int16_most": random_case(of_int16(scale=1.0, beta=4.99)),
    "int16_vanishing": random_case(of_int16(scale=2.0**-40)),
    "int16_almost_the_output_scale": random_case(
        with_tensor(of_int16(), 1, scales=(1 / 32767,), zero_points=(0,))
    ),
    "int16_every_entry": _every_entry(10 / 65535),
    "int16_every_entry_and_more": _every_entry(2.0**-11),
    "int16_every_sum": _every_sum(),
}


@st.composite
def _models_of_int16(draw: st.DrawFn) -> Case:
    model = of_int16(
        draw(shapes(most=8)),
        scale=draw(st.floats(2.0**-17, 2.0**-6, width=32)),
        beta=draw(st.sampled_from((1.0, 0.5, 3.0)) | st.floats(2.0**-6, 20.0, width=32)),
    )
    return random_case(model, seed=draw(st.integers(0, 2**16)))


@st.composite
def _models(draw: st.DrawFn) -> ModelSpec:
    return softmax(
        draw(shapes(most=8)),
        scale=draw(SCALES),
        beta=draw(st.sampled_from((1.0, 0.5, 3.0)) | st.floats(2.0**-6, 20.0, width=32)),
        zero_point=draw(ZERO_POINTS),
        is_wide=draw(st.booleans()),
    )


MODELS = st.one_of(_models(), _models_of_int16())


def _rejected(*errors: str, **changes: Any) -> Rejected:
    """The default softmax with changes to `tensor` number, or to options."""
    model = softmax()
    if "tensor" in changes:
        return Rejected(with_tensor(model, changes.pop("tensor"), **changes), errors)
    return Rejected(with_options(model, **changes), errors)


SAMPLES = ("depth_1", "wide", "int16_rows", "real_far_apart")
"""Cases between which every kernel is used."""

REJECTED = {
    "output_scale_almost_right": _rejected(
        "output tensor #1 'output' has scale 0.003906251 and zero point -128, "
        "expected 1/256 (0.00390625) and -128, which the 8-bit specification fixes",
        tensor=1,
        scales=(0.003906251,),
    ),
    "too_deep": Rejected(
        softmax((1, 8192)),
        (
            "input tensor #0 'input' has 8192 values along the last dimension, "
            "expected at most 8191",
        ),
    ),
    "beta_0": _rejected("beta 0 times scale 0.1 is outside what int8 can resolve", Beta=0.0),
    "beta_negative": _rejected(
        "beta -1 times scale 0.1 is outside what int8 can resolve", Beta=-1.0
    ),
    "beta_infinite": _rejected(
        "beta inf times scale 0.1 is outside what int8 can resolve", Beta=float("inf")
    ),
    "beta_not_a_number": _rejected(
        "beta nan times scale 0.1 is outside what int8 can resolve", Beta=float("nan")
    ),
    "int16_zero_point": Rejected(
        with_tensor(of_int16(), 0, zero_points=(1,)),
        ("input tensor #0 'input' has zero point 1, expected 0",),
    ),
    "int16_output_scale": Rejected(
        with_tensor(of_int16(), 1, scales=(2.0**-16,)),
        (
            "output tensor #1 'output' has scale 1.52588e-05 and zero point 0, "
            "expected 1/32768 (3.05176e-05) and 0",
        ),
    ),
    "int16_to_int8": Rejected(
        with_tensor(of_int16(), 1, dtype="int8"),
        ("output tensor #1 'output' is int8, expected int16",),
    ),
    "int16_too_steep": Rejected(
        of_int16(scale=1.0, beta=5.1),
        ("beta 5.1 times scale 1 is outside what int16 can resolve",),
    ),
    "int16_beta_0": Rejected(
        of_int16(beta=0.0),
        ("beta 0 times scale 0.000244141 is outside what int16 can resolve",),
    ),
    "int16_too_deep": Rejected(
        of_int16((1, 65536)),
        (
            "input tensor #0 'input' has 65536 values along the last dimension, "
            "expected at most 65535",
        ),
    ),
    "real_beta_infinite": Rejected(
        with_options(CASES["real_one"].model, Beta=float("inf")),
        ("beta is inf, expected a finite number",),
    ),
}
