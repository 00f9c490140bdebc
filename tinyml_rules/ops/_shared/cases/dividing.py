"""Cases of FLOOR_DIV and FLOOR_MOD: signs, the ends of int32, real numbers, and what is refused."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.ops._shared.cases.broadcast import BROADCASTS, Shape
from tinyml_rules.ops._shared.cases.case import Case, Reference, Rejected, random, with_tensor
from tinyml_rules.ops._shared.cases.pairs import (
    EQUAL,
    FEW_BROADCASTS,
    KINDS,
    KINDS_OF_FIRST,
    KNOWN,
    every_pair,
    of_operands,
    pair,
)
from tinyml_rules.ops._shared.cases.real_maps import (
    QUANTIZATIONS,
    SHAPES_OF_PAIRS,
    island,
    values_case,
    with_constant,
)
from tinyml_rules.ops._shared.cases.strategies import SCALES, ZERO_POINTS, broadcast_shapes

_ENDS = (1 - 2**31, -46341, -7, -2, -1, 1, 2, 3, 46341, 2**31 - 1)
_REALS = (3.0, -0.75, 0.3, 1e-3, -1e4)
"""Divisors whose results are less than 2^31 steps of an output, beyond which TFLM is undefined."""


def _int32(
    operator: str, shapes: tuple[Shape, Shape], known: tuple[bool, bool], *, seed: int = 1
) -> Case:
    """Numbers of all sizes, none of which is 0 or the least."""
    generator, operands = random(seed), []
    for shape in shapes:
        sizes = 2.0 ** generator.uniform(0, 31, (4, *shape))
        operands.append((sizes * generator.choice((-1, 1), sizes.shape)).astype(np.int32))
    model = pair(operator, "int32", *shapes)
    return of_operands(model, operands, known, reference=Reference.LITERT)


def _reals(
    operator: str, shapes: tuple[Shape, Shape], known: tuple[bool, bool] = (False, False)
) -> Case:
    """Numbers of all sizes, none of which is 0; every third quotient is near a whole number."""
    generator, operands = random(5), []
    for each in shapes:
        shape = (6, *each)
        sizes = 2.0 ** generator.uniform(-30, 30, shape) * generator.choice((-1, 1), shape)
        values = np.where(generator.integers(0, 2, shape), sizes, generator.integers(1, 99, shape))
        operands.append(values.astype(np.float32))
    return of_operands(pair(operator, "float32", *shapes), operands, known)


def _every_size(operator: str) -> Case:
    """Numbers of every exponent, the infinities and zeros, by any but 0."""
    bits = np.arange(0, 2**32, 4093 * 1021, dtype=np.uint64).astype(np.uint32)
    values = bits.view(np.float32)
    values = values[~np.isnan(values)]
    divisors = random(6).permutation(values[values != 0])
    count = divisors.size // 24 * 24
    firsts = random(7).permutation(values)[:count]
    with np.errstate(over="ignore"):
        near = divisors[:count] * np.float32(3)
    samples = (np.concatenate([firsts, near]), np.concatenate([divisors[:count]] * 2))
    shape = (-1, *EQUAL[0])
    return Case(pair(operator, "float32"), tuple(each.reshape(shape) for each in samples))


def floored_cases(operator: str) -> dict[str, Case]:
    """Both types."""
    cases = {
        f"{name}{suffix}": _int32(operator, BROADCASTS[name], known)
        for name in FEW_BROADCASTS
        if max(map(len, BROADCASTS[name])) <= 4
        for suffix, known in KNOWN.items()
    }
    cases["int32"] = _int32(operator, ((1, 4, 6), (1, 4, 6)), (False, False))
    cases |= {
        f"real_{name}{suffix}": _reals(operator, BROADCASTS[name], known)
        for name in ("channels", "each_channel", "outer")
        for suffix, known in KNOWN.items()
    }
    cases["real"] = _reals(operator, EQUAL)
    cases["real_every_size"] = _every_size(operator)
    cases["ends"] = every_pair(pair(operator, "int32"), _ENDS, reference=Reference.LITERT)
    for (name, (scales, zero_points)), divisor in zip(QUANTIZATIONS.items(), _REALS, strict=True):
        model = island(operator, scales=scales, zero_points=zero_points)
        cases[f"island_{name}"] = values_case(with_constant(model, divisor))
    return cases


SAMPLES = (
    "int32",
    "real_every_size",
    *(kind.removeprefix("_") for kind in (*KINDS[1:], *KINDS_OF_FIRST)),
    *("real_channels", "real_outer", "real_channels_constant", "real_each_channel_constant"),
    *(f"real{kind}" for kind in KINDS_OF_FIRST),
)
"""Cases between which every kernel is used."""


def floored_rejected(operator: str) -> dict[str, Rejected]:
    """Shapes and divisors."""
    return {
        "by_0": Rejected(
            with_tensor(pair(operator, "int32"), 1, data=np.zeros((1, 4, 6), np.int32)),
            ("second input tensor #1 'second' has a 0, which would be a division by zero",),
        ),
        "five_dimensions": Rejected(
            pair(operator, "int32", *BROADCASTS["five_dimensions"]),
            ("broadcast over 5 dimensions, expected at most 4",),
        ),
        "real_by_0": Rejected(
            with_tensor(pair(operator, "float32"), 1, data=np.zeros((1, 4, 6), np.float32)),
            ("second input tensor #1 'second' has a 0, which would be a division by zero",),
        ),
    }


@st.composite
def floored_models(draw: st.DrawFn, operator: str) -> Case:
    """int32 of any shapes, or an island with any divisor."""
    if draw(st.booleans()):
        known, seed = draw(st.sampled_from(tuple(KNOWN.values()))), draw(st.integers(0, 99))
        first, second = draw(broadcast_shapes())
        return _int32(operator, (first, second), known, seed=seed)
    model = island(
        operator,
        shape=draw(SHAPES_OF_PAIRS),
        scales=(draw(SCALES), draw(SCALES)),
        zero_points=(draw(ZERO_POINTS), draw(ZERO_POINTS)),
    )
    return values_case(with_constant(model, draw(st.sampled_from(_REALS))))
