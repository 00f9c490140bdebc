"""Cases of POW: powers that fit int32 and that wrap, real numbers, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec
from tinyml_rules.ops._shared.cases.broadcast import BROADCASTS, Shape
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Reference,
    Rejected,
    int32s,
    random,
    random_case,
    typed,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.dividing import SAMPLES
from tinyml_rules.ops._shared.cases.pairs import EQUAL, FEW_BROADCASTS, KNOWN, of_operands, pair
from tinyml_rules.ops._shared.cases.real_maps import (
    QUANTIZATIONS,
    SHAPES_OF_PAIRS,
    island,
    values_case,
    with_constant,
)
from tinyml_rules.ops._shared.cases.strategies import SCALES, ZERO_POINTS, broadcast_shapes

__all__ = ("CASES", "MODELS", "REJECTED", "SAMPLES")

_GREATEST = 2**31 - 1
_ENDS = (
    *((-2, 31), (2, 30), (46340, 2), (-46340, 2), (1290, 3), (-1290, 3), (73, 5), (-73, 5)),
    *((_GREATEST, 1), (-(2**31), 1), (-(2**31), 0), (0, 0), (0, 1), (0, _GREATEST)),
    *((1, _GREATEST), (-1, _GREATEST), (-1, _GREATEST - 1)),
)
"""Base and exponent: the greatest powers that fit, and all powers of 0 and 1."""
_EXPONENTS = {
    "cube": ("coarse", 3.0),
    "nearly_7": ("fine", 7.000005),
    "root": ("above_0", 0.5),
    "fifth": ("below_0", 5.0),
    "square": ("ties", 2.0),
    "power_of_0": ("coarse", 0.0),
    "same": ("ties", 1.0),
}
_EXPONENTS_ABOVE_0 = {
    "almost_square": ("coarse", 1.7),
    "negative": ("fine", -2.5),
    "rsqrt": ("above_0", -0.5),
    "reciprocal": ("ties", -1.0),
}
"""The same for bases above 0, whose powers are numbers."""
_REAL_EXPONENTS = {
    "channels": (0.5, -1.5, 2.0, 0.1),
    "each_channel": (3.0, 0.7),
    "outer": (1.5, 0.2),
}
_SINGLE_EXPONENTS = (3.0, 0.5, 7.000005, -2.0, 1.0, 1e10)
"""Of all bases; some multiply."""
_REALS = (
    *(0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 127.0, 128.0, 149.0, 150.0, 1e-45, 1e-38, 3e38, np.inf),
    *(8388607.5, 16777215.0, 16777216.0, 0.9999, 1.0000001),
)
_BASES = {
    "of_1_and_a_half": ("coarse", 1.5),
    "of_2": ("fine", 2.0),
    "of_0": ("above_0", 0.0),
    "of_a_third": ("below_0", 0.3),
    "of_1": ("ties", 1.0),
}
"""No result reaches 2^31 steps of an output, where LiteRT becomes undefined."""


def _fitting(
    shapes: tuple[Shape, Shape], most: int, known: tuple[bool, bool] = (False, False)
) -> Case:
    """Exponents up to `most`, of bases that fit with each of them."""
    generator = random(most)
    end = next(end for end in (_GREATEST, 46340, 1290, 215, 73, 1) if end**most <= _GREATEST)
    operands = [
        generator.integers(low, high, (4, *shape), np.int32, endpoint=True)
        for shape, (low, high) in zip(shapes, ((-end, end), (0, most)), strict=True)
    ]
    model = pair("POW", "int32", *shapes)
    return of_operands(model, operands, known, reference=Reference.LITERT)


def _ends() -> Case:
    """Operands of equal shapes."""
    values = np.array(_ENDS, np.int32).T
    model = pair("POW", "int32", (len(_ENDS),), (len(_ENDS),))
    return Case(model, (values[:1], values[1:]), reference=Reference.LITERT)


def _wrapping(exponent: int) -> Case:
    """Bases of any size; if the exponent is a single one, LiteRT multiplies as this does."""
    model = with_tensor(pair("POW", "int32", (1, 64), (1,)), 1, data=np.array([exponent], np.int32))
    return random_case(model, reference=Reference.LITERT)


def _below_0() -> Case:
    """Exponents that LiteRT ends an inference at; it gets the greater of them and 0."""
    generator = random()
    bases = generator.integers(-73, 74, (4, 1, 64), np.int32)
    exponents = generator.integers(-5, 6, (4, 1, 64), np.int32)
    exponents[0, 0, :2] = -(2**31), -1
    model = pair("POW", "int32", (1, 64), (1, 64))
    extra = (int32s("zero", [0]), typed("raised", (1, 64), "int32"))
    nodes = (OperatorSpec("MAXIMUM", (1, 3), (4,)), OperatorSpec("POW", (0, 4), (2,)))
    stand_in = replace(model, tensors=(*model.tensors, *extra), operators=nodes)
    return Case(model, (bases, exponents), reference=Reference.LITERT, stand_in=stand_in)


def _island(kind: str, constant: float, *, is_base: bool = False) -> ModelSpec:
    scales, zero_points = QUANTIZATIONS[kind]
    model = island("POW", scales=scales, zero_points=zero_points)
    return with_constant(model, constant, is_first=is_base)


def _litert(model: ModelSpec, *, above: int | None = None) -> Case:
    return values_case(model, reference=Reference.LITERT, above=above)


def _real(
    shapes: tuple[Shape, Shape], exponents: Sequence[float], known: tuple[bool, bool]
) -> Case:
    """Bases of many sizes, above 0 but for a few, and some of the exponents."""
    generator = random(8)
    bases = np.exp(generator.normal(0, 9, (6, *shapes[0]))).astype(np.float32)
    bases[-1] = -bases[-1]
    raised = np.asarray(exponents, np.float32)[np.arange(int(np.prod(shapes[1]))) % len(exponents)]
    raised = np.broadcast_to(raised.reshape(shapes[1]), (6, *shapes[1]))
    model = pair("POW", "float32", *shapes)
    return of_operands(model, (bases, np.array(raised)), known, reference=Reference.LITERT)


def _every_size() -> Case:
    """Each of many numbers with each of others, and results of every size."""
    ends = np.array([*_REALS, *(-each for each in _REALS)], np.float32)
    first, second = (each.reshape(-1) for each in np.meshgrid(ends, ends))
    generator = random(9)
    bits = generator.integers(0, 2**32, 2048, dtype=np.uint64).astype(np.uint32)
    bases = np.abs(bits.view(np.float32))
    bases = np.where(np.isfinite(bases) & (bases != 1), bases, np.float32(7))
    with np.errstate(divide="ignore"):
        raised = generator.uniform(-155, 135, bases.size) / np.log2(bases.astype(np.float64))
    pairs = ((first, bases), (second, raised.astype(np.float32)))
    columns = [np.concatenate(each) for each in pairs]
    count = -(-columns[0].size // 24) * 24
    samples = tuple(np.resize(each, count).reshape(-1, *EQUAL[0]) for each in columns)
    return Case(pair("POW", "float32"), samples, reference=Reference.LITERT)


_SIGNS = island("POW", scales=(1.0, 0.5), zero_points=(0, 0))

CASES = {
    "real_every_size": _every_size(),
    **{
        f"real_{name}{suffix}": _real(BROADCASTS[name], exponents, known)
        for name, exponents in _REAL_EXPONENTS.items()
        for suffix, known in KNOWN.items()
    },
    **{
        f"real_scalar_{place}{suffix}": _real(BROADCASTS["scalar"], (exponent,), known)
        for place, exponent in enumerate(_SINGLE_EXPONENTS)
        for suffix, known in KNOWN.items()
    },
    "int32": _fitting(EQUAL, 5),
    "ends": _ends(),
    "below_0": _below_0(),
    "wraps": _wrapping(3),
    "wraps_often": _wrapping(1001),
    **{
        f"{name}{suffix}": _fitting(BROADCASTS[name], most, known)
        for name, most in zip(FEW_BROADCASTS, (2, 2, 3, 1, 0), strict=True)
        if max(map(len, BROADCASTS[name])) <= 4
        for suffix, known in KNOWN.items()
    },
    **{f"island_{name}": _litert(_island(*each)) for name, each in _EXPONENTS.items()},
    **{
        f"island_{name}": _litert(_island(kind, each), above=QUANTIZATIONS[kind][1][0])
        for name, (kind, each) in _EXPONENTS_ABOVE_0.items()
    },
    **{
        f"island_{name}": _litert(
            _island(kind, each, is_base=True), above=None if each else QUANTIZATIONS[kind][1][0]
        )
        for name, (kind, each) in _BASES.items()
    },
    "island_signs": _litert(with_constant(_SIGNS, -1.0, is_first=True)),
}
REJECTED = {
    "constant_below_0": Rejected(
        with_tensor(pair("POW", "int32", (1, 3), (3,)), 1, data=np.array([2, -3, -1], np.int32)),
        ("second input tensor #1 'second' has the exponent -3, expected none below 0 of int32",),
    ),
    "five_dimensions": Rejected(
        pair("POW", "int32", *BROADCASTS["five_dimensions"]),
        ("broadcast over 5 dimensions, expected at most 4",),
    ),
    "shapes": Rejected(
        with_tensor(pair("POW", "int32", (1, 3), (3,)), 1, shape=(2,)),
        ("shapes [1, 3] and [2] do not broadcast",),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    """int32 of any shapes, or an island with any constant on either side."""
    if draw(st.booleans()):
        first, second = draw(broadcast_shapes())
        known = draw(st.sampled_from(tuple(KNOWN.values())))
        return _fitting((first, second), draw(st.integers(0, 31)), known)
    zero_point = draw(ZERO_POINTS.filter(lambda each: each < 127))
    model = island(
        "POW",
        shape=draw(SHAPES_OF_PAIRS),
        scales=(draw(SCALES), draw(SCALES)),
        zero_points=(zero_point, draw(ZERO_POINTS)),
    )
    is_base = draw(st.booleans())
    exponents = (0.0, 1.0, 2.0, 0.5, 1.7, -1.0, -2.5)
    value = draw(st.sampled_from((1.0, 1.01, 0.99) if is_base else exponents))
    is_any = is_base or value in (0, 1, 2)
    return _litert(
        with_constant(model, value, is_first=is_base), above=None if is_any else zero_point
    )


MODELS = _models()
