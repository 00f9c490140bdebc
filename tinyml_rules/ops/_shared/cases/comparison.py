"""Cases of the comparisons."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Reference,
    Rejected,
    random_case,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.pairs import (
    KINDS,
    KINDS_OF_FIRST,
    broadcast_cases,
    every_int8,
    every_pair,
    pair,
    pair_models,
)
from tinyml_rules.ops._shared.cases.shorts import STEP, short_pair_models, short_pairs

_BELOW_1 = st.sampled_from((0.25, 0.5, 0.75, 2.0**-9, 0.99)) | st.floats(
    2.0**-12, 63 / 64, width=32
)
_SHORT_SCALES = {
    "usual_scales": (0.003, 0.002, 1.0),
    "equal_scales": (STEP, STEP, 1.0),
    "scales_below_a_step": (2.0**-13, 2.0**-12, 1.0),
    "ties": (2.0**-9, 2.0**-8, 1.0),
    "scales_just_below_1": (0.999, 0.998, 1.0),
}
"""Of int16: both inputs; the third is nobody's."""
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
    scales = _SHORT_SCALES if has_bool else {"equal_scales": (STEP, STEP, 1.0)}
    found |= short_pairs(operator, scales, result="bool", reference=Reference.LITERT)
    for dtype in ("int8", *dtypes):
        found |= broadcast_cases(operator, dtype, result="bool")
        found[f"{dtype}_special"] = every_pair(pair(operator, dtype, result="bool"))
    return found


def comparison_models(operator: str, *, has_bool: bool) -> st.SearchStrategy[ModelSpec | Case]:
    """All that a comparison takes."""
    dtypes = ("int8", *PLAIN, "bool") if has_bool else ("int8", *PLAIN)
    scales = st.tuples(_BELOW_1, _BELOW_1, st.just(1.0))
    return pair_models(operator, dtypes, result="bool", scales=scales) | short_pair_models(
        operator, result="bool", has_one_scale=not has_bool, reference=Reference.LITERT
    )


def comparison_samples(*, has_bool: bool) -> tuple[str, ...]:
    """Cases between which every kernel is used."""
    dtypes = ("int8", "int16", *PLAIN, "bool") if has_bool else ("int8", "int16", *PLAIN)
    return tuple(f"{dtype}{kind}" for dtype in dtypes for kind in (*KINDS, *KINDS_OF_FIRST))


def _short_rejected(operator: str, *, has_bool: bool) -> dict[str, Rejected]:
    """Scales of int16 that LiteRT stops at, or takes for equal."""
    model = pair(operator, "int16", scales=(1.0, 0.5, 1.0), result="bool")
    if has_bool:
        error = (
            "first input tensor #0 'first' has scale 1, expected less than 1, which LiteRT's "
            "comparisons are limited to"
        )
    else:
        error = (
            "second input tensor #1 'second' has scale 0.5 and zero point 0, expected those of the "
            "first input, 1 and 0: the 8-bit specification asks for one quantization"
        )
    return {"int16_scales": Rejected(model, (error,))}


def comparison_rejected(operator: str, *, has_bool: bool) -> Mapping[str, Rejected]:
    """What the references refuse, or stop at."""
    model = pair(operator, "int8", result="bool")
    return {
        **_short_rejected(operator, has_bool=has_bool),
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
