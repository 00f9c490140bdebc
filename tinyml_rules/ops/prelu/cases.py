"""Cases of PRELU: alpha for each channel, for all, for each value; scales, ties."""

from __future__ import annotations

from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.broadcast import Shape
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    filled,
    model_of,
    quantized,
    random_case,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.pairs import FINITE, every_int8, every_pair, pair
from tinyml_rules.ops._shared.cases.shorts import SHORT_SCALES, STEP, every_short, short
from tinyml_rules.ops._shared.cases.strategies import SCALES, ZERO_POINTS, shapes

IMAGE = (1, 3, 4, 5)
_SHAPES: dict[str, tuple[Shape, Shape]] = {
    "channels": (IMAGE, (1, 1, 5)),
    "channels_of_rank_4": (IMAGE, (1, 1, 1, 5)),
    "rows": (IMAGE, (3, 1, 1)),
    "values": (IMAGE, (3, 4, 5)),
    "one": (IMAGE, (1,)),
    "same": (IMAGE, IMAGE),
}


def _every(scales: tuple[float, float, float], zero_points: tuple[int, int, int]) -> Case:
    model = pair("PRELU", "int8", (1, 64), (1, 64), scales=scales, zero_points=zero_points)
    return every_int8(model, (-128, -3, -1, 0, 1, 2, 3, 127))


_SHORT_SCALES = {
    "usual_scales": (STEP, 0.02, 0.7 * STEP),
    "ties": (STEP, 0.5, 2 * STEP),
    "saturation": (STEP, 1.0, STEP / 8),
    "quotient_in_double": (0.3 * STEP, 0.1, 0.2 * STEP),
    "coarse_output": (STEP, 0.02, 2.0**12),
}
"""Of int16: the input, alpha, which is int8, and the output."""


def _int16(
    first: Shape = IMAGE,
    second: Shape = (5,),
    *,
    scales: tuple[float, float, float] = (STEP, 0.02, 0.7 * STEP),
    is_constant: bool = False,
) -> ModelSpec:
    """Input and output of int16, and alpha of int8."""
    alpha = quantized("alpha", second, scale=scales[1], zero_point=-5)
    return model_of(
        "PRELU",
        (short("input", first, scales[0]), filled(alpha) if is_constant else alpha),
        short("output", first, scales[2]),
    )


CASES = {
    # products and quotients of scales are in double
    "scales_in_double": random_case(
        pair(
            "PRELU",
            "int8",
            (1, 3, 4, 5),
            (1, 1, 5),
            constants=(False, True),
            scales=(0.175, 0.8, 0.2),
            zero_points=(3, -5, 7),
        )
    ),
    **{
        f"{dtype}_{name}{suffix}": random_case(
            pair(
                "PRELU",
                dtype,
                *both,
                constants=(False, is_known),
                scales=(0.3, 0.02, 0.2),
                zero_points=(3, -5, 7),
            )
        )
        for dtype in ("int8", "float32")
        for name, both in _SHAPES.items()
        for suffix, is_known in (("", False), ("_constant", True))
    },
    "table": random_case(pair("PRELU", "int8", (8, 64), (1,), constants=(False, True))),
    "constant_input": random_case(pair("PRELU", "int8", IMAGE, (5,), constants=(True, False))),
    "ties": _every((1.0, 0.5, 2.0), (0, 0, 0)),
    "quotient_in_double": _every((0.3, 0.1, 0.2), (0, 0, 0)),
    "saturation": _every((1.0, 1.0, 0.25), (0, 0, 0)),
    "lowest_zero_points": _every((0.3, 0.2, 0.4), (-128, -128, -128)),
    "highest_zero_points": _every((0.3, 0.2, 0.4), (127, 127, 127)),
    **{
        f"int16_{name}{suffix}": random_case(_int16(*both, is_constant=is_known))
        for name, both in _SHAPES.items()
        for suffix, is_known in (("", False), ("_constant", True))
    },
    **{
        f"int16_of_{name}": every_short(
            _int16((1, 64), (1, 64), scales=scales), (-128, -3, -1, 0, 1, 2, 127)
        )
        for name, scales in _SHORT_SCALES.items()
    },
    "float32_special": every_pair(pair("PRELU", "float32"), FINITE),
}

SAMPLES = tuple(
    f"{dtype}_{name}"
    for dtype in ("int8", "int16", "float32")
    for name in ("same", "channels", "channels_constant", "rows", "rows_constant")
)
"""Cases between which every kernel is used."""

REJECTED = {
    "int16_alpha_of_int16": Rejected(
        with_tensor(_int16(), 1, dtype="int16", zero_points=(0,)),
        ("alpha tensor #1 'alpha' is int16, expected int8",),
    ),
    "int16_factor_too_large": Rejected(
        _int16(scales=(1.0, 1.0, 2.0**-8)),
        ("output tensor #2 'output' has scale 0.00390625, too small for the inputs' 1",),
    ),
    "int16_values_too_large": Rejected(
        _int16(scales=(1.0, 2.0**-10, 2.0**-16)),
        ("output tensor #2 'output' has scale 1.52588e-05, too small for the inputs' 1",),
    ),
    "alpha_with_more_dimensions": Rejected(
        pair("PRELU", "int8", (4, 5), (3, 4, 5)),
        ("output tensor #2 'output' has shape [3, 4, 5], expected [4, 5]",),
    ),
    "factor_too_large": Rejected(
        pair("PRELU", "int8", scales=(256.0, 128.0, 1.0)),
        ("output tensor #2 'output' has scale 1, too small for the inputs' 32768",),
    ),
    "float32_of_rank_5": Rejected(
        pair("PRELU", "float32", (1, 1, 2, 3, 4), (4,)),
        ("broadcast over 5 dimensions, expected at most 4",),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> ModelSpec:
    shape = draw(shapes())
    kept = [draw(st.booleans()) for _ in shape]
    alpha = tuple(size if keeps else 1 for size, keeps in zip(shape, kept, strict=True))
    return pair(
        "PRELU",
        draw(st.sampled_from(("int8", "float32"))),
        shape,
        alpha[draw(st.integers(0, len(alpha))) :] if not any(kept) else alpha,
        constants=(False, draw(st.booleans())),
        scales=draw(st.tuples(SCALES, SCALES, SCALES)),
        zero_points=draw(st.tuples(ZERO_POINTS, ZERO_POINTS, ZERO_POINTS)),
    )


@st.composite
def _short_models(draw: st.DrawFn) -> ModelSpec:
    shape = draw(shapes())
    scales = (draw(SHORT_SCALES), draw(SCALES), draw(SHORT_SCALES))
    alpha = draw(st.sampled_from((shape, shape[-1:], (1,))))
    return _int16(shape, alpha, scales=scales, is_constant=draw(st.booleans()))


MODELS = _models() | _short_models()
