"""Cases of ADD, SUB, MUL, DIV and SQUARED_DIFFERENCE of all their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Reference,
    Rejected,
    random_case,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.pairs import (
    FINITE,
    KINDS,
    KINDS_OF_FIRST,
    SPECIAL,
    broadcast_cases,
    every_int8,
    every_pair,
    pair,
    pair_models,
)
from tinyml_rules.ops._shared.cases.shorts import STEP
from tinyml_rules.ops._shared.cases.strategies import ACTIVATIONS

TYPES = ("int8", "int32", "float32")
WITH_INT16 = (*TYPES, "int16")
PLAIN_SAMPLES = tuple(f"{dtype}{kind}" for dtype in TYPES[1:] for kind in KINDS)
"""Cases between which every kernel of plain numbers is used, where the order does not matter."""
SHORT_SAMPLES = tuple(f"int16{kind}" for kind in KINDS)
"""The same of int16."""
LONG_SAMPLES = tuple(f"int64{kind}" for kind in KINDS)
"""The same of int64."""
CLAMPS = (Activation.RELU, Activation.RELU6, Activation.RELU_N1_TO_1)

CLAMPED = tuple({"FusedActivationFunction": activation} for activation in CLAMPS)
"""Options with each activation."""
OPTIONS = st.builds(lambda number: {"FusedActivationFunction": number}, ACTIVATIONS)
SUM_SCALES = {
    "usual_scales": (0.003, 0.002, 0.004),
    "equal_scales": (STEP, STEP, STEP),
    "ties": (STEP, STEP, 2 * STEP),
    "ties_of_quarters": (STEP, STEP / 2, 4 * STEP),
    "saturation": (0.003, 0.004, 0.001),
    "scales_far_apart": (1.0, 2.0**-12, 1.0),
    "scale_that_vanishes": (1.0, 2.0**-40, 1.0),
    "coarse_output": (0.003, 0.002, 50.0),
    "finest_output": (1.0, 1.0, 2.0**-13),
}
"""Of int16: both inputs, and the output."""


def scale_cases(operator: str) -> dict[str, Case]:
    """Every int8 value with some: scales that are far apart, that tie, that saturate."""

    def case(
        scales: tuple[float, float, float],
        zero_points: tuple[int, int, int] = (0, 0, 0),
        seconds: Sequence[int] = (-128, -3, -1, 0, 1, 2, 3, 127),
    ) -> Case:
        model = pair(operator, "int8", (1, 64), (1, 64), scales=scales, zero_points=zero_points)
        return every_int8(model, seconds)

    return {
        "ties_of_halves": case((1.0, 1.0, 2.0)),
        "ties_of_quarters": case((1.0, 1.0, 4.0)),
        "ties_of_unequal_scales": case((1.0, 0.5, 1.0)),
        "saturation": case((1.0, 1.0, 0.75)),
        # 1.5 only as float32, a little more or less in double
        "quotient_in_double": case((0.3, 0.1, 0.2)),
        "scales_far_apart": case((1.0, 2.0**-12, 1.0)),
        "scale_that_vanishes": case((1.0, 2.0**-40, 1.0)),
        "lowest_zero_points": case((0.3, 0.2, 0.4), (-128, -128, -128)),
        "highest_zero_points": case((0.3, 0.2, 0.4), (127, 127, 127)),
        "opposite_zero_points": case((0.3, 0.2, 0.4), (-128, 127, -128)),
        "table": random_case(pair(operator, "int8", (8, 64), (1, 1), constants=(False, True))),
        "table_of_first": random_case(
            pair(operator, "int8", (1,), (8, 64), constants=(True, False))
        ),
    }


def activation_cases(operator: str, dtypes: Sequence[str]) -> dict[str, Case]:
    """Each fused activation."""
    pools = {**SPECIAL, "float32": FINITE}
    return {
        f"{dtype}_{activation.name.lower()}": every_pair(
            pair(operator, dtype, options={"FusedActivationFunction": activation}), pools[dtype]
        )
        for dtype in dtypes
        for activation in CLAMPS
    }


def arithmetic_samples(*, is_ordered: bool, dtypes: Sequence[str] = TYPES) -> tuple[str, ...]:
    """Cases between which every kernel is used; `is_ordered` where a constant has to stay first."""
    kinds = (*KINDS, *KINDS_OF_FIRST) if is_ordered else KINDS
    return tuple(f"{dtype}{kind}" for dtype in dtypes for kind in kinds)


def arithmetic_models(
    operator: str, dtypes: Sequence[str] = TYPES, **more: Any
) -> st.SearchStrategy[ModelSpec]:
    """All that they take."""
    return pair_models(operator, dtypes, **{"options": OPTIONS, **more})


def arithmetic_rejected(operator: str, *, has_activation: bool = True) -> Mapping[str, Rejected]:
    """Other types, shapes, and what TFLM has no answer for."""
    model = pair(operator, "int8")
    found = {
        "shapes": Rejected(
            with_tensor(model, 1, shape=(1, 4, 5)),
            ("shapes [1, 4, 6] and [1, 4, 5] do not broadcast",),
        ),
        "output_shape": Rejected(
            with_tensor(model, 2, shape=(1, 4, 5)),
            ("output tensor #2 'output' has shape [1, 4, 5], expected [1, 4, 6]",),
        ),
        "broadcast_of_six": Rejected(
            pair(operator, "int8", (2, 1, 2, 1, 2, 1), (1, 2, 1, 2, 1, 2)),
            ("broadcast over 6 dimensions, expected at most 5",),
        ),
    }
    return found | (_unknown_activations(operator) if has_activation else {})


def _unknown_activations(operator: str) -> dict[str, Rejected]:
    """One that is no clamp."""
    return {
        f"{dtype}_tanh": Rejected(
            with_options(pair(operator, dtype), FusedActivationFunction=4),
            ("fused activation TANH",),
        )
        for dtype in ("int8", "float32")
    }


def scaled_int32(operator: str) -> Rejected:
    """int32 with a scale."""
    model = pair(operator, "int32")
    return Rejected(
        with_tensor(model, 0, scales=(0.5,), zero_points=(0,)),
        ("first input tensor #0 'first' has a scale, which int32 is refused with",),
    )


def sum_rejected(operator: str, called: str) -> dict[str, Rejected]:
    """Sums and differences of int16: an output of too small a scale, and two types."""
    model = pair(operator, "int16", scales=(STEP, STEP, STEP))
    too_small = f"output tensor #2 'output' has a scale too small for the {called} of its inputs"
    return {
        "int16_output_scale_too_small": Rejected(
            with_tensor(model, 2, scales=(STEP * 2.0**-15,)), (too_small,)
        ),
        "int16_and_int8": Rejected(
            with_tensor(model, 1, dtype="int8"),
            ("second input tensor #1 'second' is int8, expected int16",),
        ),
    }


def long_cases(operator: str) -> dict[str, Case]:
    """int64, which LiteRT alone has: shapes, and numbers whose results wrap."""
    reference = Reference.LITERT
    return {
        **broadcast_cases(operator, "int64", reference=reference),
        "int64_special": every_pair(pair(operator, "int64"), reference=reference),
    }


def long_models(operator: str) -> st.SearchStrategy[Case]:
    """Any of them."""
    models = pair_models(operator, ("int64",))
    return models.map(lambda model: random_case(model, reference=Reference.LITERT))


def long_rejected(operator: str) -> dict[str, Rejected]:
    """A fused activation."""
    model = with_options(pair(operator, "int64"), FusedActivationFunction=Activation.RELU)
    return {"int64_relu": Rejected(model, ("fused activation 1 of int64, expected NONE",))}
