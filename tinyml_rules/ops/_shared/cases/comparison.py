"""Cases of the comparisons."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, Rejected, random_case, with_tensor
from tinyml_rules.ops._shared.cases.pairs import (
    KINDS,
    KINDS_OF_FIRST,
    broadcast_cases,
    every_int8,
    every_pair,
    pair,
    pair_models,
)

_BELOW_1 = st.sampled_from((0.25, 0.5, 0.75, 2.0**-9, 0.99)) | st.floats(
    2.0**-12, 63 / 64, width=32
)
PLAIN = ("int32", "int64", "float32")


def _int8(operator: str, scales: tuple[float, float], zero_points: tuple[int, int]) -> Case:
    model = pair(
        operator,
        "int8",
        (1, 64),
        (1, 64),
        scales=(*scales, 1.0),
        zero_points=(*zero_points, 0),
        result="bool",
    )
    return every_int8(model, (-128, -7, -1, 0, 1, 2, 50, 127))


def comparison_cases(operator: str, *, has_bool: bool) -> dict[str, Case]:
    """int8 of one and of two quantizations, all types with each other's special values."""
    dtypes = (*PLAIN, "bool") if has_bool else PLAIN
    found: dict[str, Case] = {
        "int8_equal_scales": _int8(operator, (0.3, 0.3), (3, 3)),
        "int8_equal_scales_below_a_step": _int8(operator, (2.0**-10, 2.0**-10), (3, 3)),
        "int8_ties": _int8(operator, (2.0**-9, 2.0**-8), (0, 0)),
        "int8_twice_the_scale": _int8(operator, (0.25, 0.5), (0, 0)),
        "int8_thirds": _int8(operator, (0.1, 0.3), (-128, 127)),
        "int8_just_below_1": _int8(operator, (0.999, 0.998), (127, -128)),
        "int8_scale_that_vanishes": _int8(operator, (2.0**-40, 0.5), (1, -1)),
        "table": random_case(
            pair(operator, "int8", (8, 64), (1, 1), constants=(False, True), result="bool")
        ),
    }
    for dtype in ("int8", *dtypes):
        found |= broadcast_cases(operator, dtype, result="bool")
        found[f"{dtype}_special"] = every_pair(pair(operator, dtype, result="bool"))
    return found


def comparison_models(operator: str, *, has_bool: bool) -> st.SearchStrategy[ModelSpec]:
    """All that a comparison takes."""
    dtypes = ("int8", *PLAIN, "bool") if has_bool else ("int8", *PLAIN)
    scales = st.tuples(_BELOW_1, _BELOW_1, st.just(1.0))
    return pair_models(operator, dtypes, result="bool", scales=scales)


def comparison_samples(*, has_bool: bool) -> tuple[str, ...]:
    """Cases between which every kernel is used."""
    dtypes = ("int8", *PLAIN, "bool") if has_bool else ("int8", *PLAIN)
    return tuple(f"{dtype}{kind}" for dtype in dtypes for kind in (*KINDS, *KINDS_OF_FIRST))


def comparison_rejected(operator: str) -> Mapping[str, Rejected]:
    """What the references refuse, or stop at."""
    model = pair(operator, "int8", result="bool")
    return {
        "scale_of_1": Rejected(
            with_tensor(model, 0, scales=(1.0,)),
            (
                "first input tensor #0 'first' has scale 1, expected less than 1, which TFLM's "
                "comparisons are limited to",
            ),
        ),
        "shapes": Rejected(
            with_tensor(model, 1, shape=(1, 4, 5)),
            ("shapes [1, 4, 6] and [1, 4, 5] do not broadcast",),
        ),
        "output_shape": Rejected(
            with_tensor(model, 2, shape=(4, 6)),
            ("output tensor #2 'output' has shape [4, 6], expected [1, 4, 6]",),
        ),
    }
