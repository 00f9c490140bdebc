"""Cases of ADD_N: numbers of inputs, zero points, scales, and what is refused."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    filled,
    model_of,
    random_case,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.pairs import FINITE, every_pair, tensor
from tinyml_rules.ops._shared.cases.strategies import SCALES, ZERO_POINTS, shapes

_MOST = 15


def add_n(
    count: int = 2,
    dtype: str = "int8",
    shape: tuple[int, ...] = (2, 5),
    *,
    scales: tuple[float, float] = (0.3, 0.5),
    zero_points: tuple[int, int] = (3, -7),
    constants: tuple[int, ...] = (),
) -> ModelSpec:
    """So many inputs; pairs are (inputs, output)."""
    inputs = [
        tensor(f"input {place}", shape, dtype, scale=scales[0], zero_point=zero_points[0])
        for place in range(count)
    ]
    inputs = [
        filled(each, seed=place) if place in constants else each
        for place, each in enumerate(inputs)
    ]
    output = tensor("output", shape, dtype, scale=scales[1], zero_point=zero_points[1])
    return model_of("ADD_N", inputs, output)


CASES: dict[str, Case] = {
    **{
        f"{dtype}_{count}": random_case(add_n(count, dtype))
        for dtype in ("int8", "float32")
        for count in range(2, _MOST + 1)
    },
    "constants": random_case(add_n(4, constants=(1, 3))),
    "scalar": random_case(add_n(3, shape=())),
    "lowest_zero_point": random_case(add_n(_MOST, zero_points=(-128, -128), scales=(0.3, 3.0))),
    "highest_zero_point": random_case(add_n(_MOST, zero_points=(127, 127), scales=(0.3, 3.0))),
    "zero_point_counts": every_pair(add_n(2, zero_points=(10, 0), scales=(0.5, 0.5))),
    "ties": every_pair(add_n(2, zero_points=(1, 0), scales=(1.0, 2.0))),
    "saturation": every_pair(add_n(2, zero_points=(0, 0), scales=(1.0, 0.25))),
    "table": random_case(add_n(2, shape=(1, 1))),
    "table_with_a_constant": random_case(add_n(2, shape=(1, 1), constants=(0,))),
    "float32_zeros": every_pair(add_n(2, "float32"), FINITE),
}

SAMPLES = tuple(
    f"{dtype}_{count}" for dtype in ("int8", "float32") for count in range(2, _MOST + 1)
)
"""Cases between which every kernel is used."""


def _one_less(model: ModelSpec) -> ModelSpec:
    (operator,) = model.operators
    return replace(model, operators=(replace(operator, inputs=operator.inputs[:1]),))


REJECTED = {
    "one_input": Rejected(_one_less(add_n(2)), ("1 inputs, expected 2 to 15",)),
    "16_inputs": Rejected(add_n(16), ("16 inputs, expected 2 to 15",)),
    "another_scale": Rejected(
        with_tensor(add_n(), 1, scales=(0.25,)),
        (
            "input tensor #1 'input 1' has scale 0.25 and zero point 3, expected those of the "
            "first, 0.3 and 3",
        ),
    ),
    "output_scale_too_small": Rejected(
        with_tensor(add_n(), 2, scales=(2.0**-21,)),
        ("output tensor #2 'output' has a scale too small for the sum of its inputs",),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> ModelSpec:
    return add_n(
        draw(st.integers(2, _MOST)),
        draw(st.sampled_from(("int8", "float32"))),
        draw(shapes(least_rank=0)),
        scales=draw(st.tuples(SCALES, SCALES)),
        zero_points=draw(st.tuples(ZERO_POINTS, ZERO_POINTS)),
        constants=draw(st.sampled_from(((), (0,), (1,)))),
    )


MODELS = _models()
