"""The sum of two int8 tensors of one shape with one rescaling less. The larger of the two scales is
half the common scale, so that its values only need a shift; if the scales are equal, neither needs
more.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.ir.c_struct import Int8, Int32
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.common_scale import SumFacts, SumParams
from tinyml_rules.ops._shared.value_kernels import EQUAL_SHAPES

_KERNELS = Path(__file__).parent / "kernels"
_COARSE = (1 << 30, 0)
"""Multiplier and shift of a scale that is half the common one."""
_RAISED_BITS = 19
"""Bits by which values of the larger scale are shifted left at the common scale."""
_FINE_BITS = 21
"""One more than TFLM's 20, because the rounding multiplication doubles."""
_MOST_DISTANCE = 255
"""The largest distance of an int8 from its zero point."""


@dataclass(frozen=True, eq=False)
class EqualParams:
    """Members of the C struct: what is added to (first + second) * 2^19, and how sums are
    requantized."""

    offset: Int32
    multiplier: Int32
    shift: Int8
    output_zero_point: Int8
    clamp_min: Int8
    clamp_max: Int8


@dataclass(frozen=True, eq=False)
class CoarseParams(EqualParams):
    """Members of the C struct: `offset` is added to the shifted coarse values, `fine_offset` to the
    shifted fine ones, and `fine_half` before the shift to the right by `fine_shift`."""

    fine_offset: Int32
    fine_multiplier: Int32
    fine_half: Int32
    fine_shift: Int8
    is_first_coarse: Int8


@dataclass(frozen=True)
class Signed(Variant):
    """Words of every template of a sum or difference."""

    called: str
    """Name in comments: `sum` or `difference`."""
    sign: str
    """C operator: `+` or `-`."""


@dataclass(frozen=True)
class Coarse(Signed):
    """Words of the template of two scales."""

    coarse_sign: str
    """C sign of the values with the larger scale: `-`, or empty for plus."""
    fine_sign: str
    """C operator before the other values."""


def coarse_kernels(name: str, called: str, sign: int) -> tuple[Kernel[SumFacts], ...]:
    """Kernels for equal scales, for a larger first and for a larger second scale. Without 64-bit
    products the latter two save nothing, because a rescaling by 2^30 is as cheap."""
    signed = Signed(called, "+" if sign > 0 else "-")
    equal = Kernel(
        name=f"{name}_of_one_scale",
        template=_KERNELS / "sum_of_one_scale.c.j2",
        form=Form.POINTWISE,
        is_in_place=True,
        requires=frozenset((Feature.REGISTERS_32,)),
        excludes=frozenset((Feature.MVE,)),
        can=(EQUAL_SHAPES, Condition(_has_one_scale, "the scales of the inputs differ")),
        runtime=("requantize",),
        variant=signed,
        pack=lambda work: _pack_equal(work, sign),
    )
    return (equal, *(_of_two_scales(name, sign, signed, which) for which in _ORDERS[sign]))


@dataclass(frozen=True)
class _Order:
    """Whether the first input has the larger scale, and the signs of the coarse and the fine
    values."""

    firsts: tuple[bool, ...]
    coarse_sign: str
    fine_sign: str
    ending: str = ""
    otherwise: str = "the scales of the inputs are equal"


_ORDERS = {
    1: (_Order((True, False), "", "+"),),
    -1: (
        _Order((True,), "", "-", otherwise="the first input has no larger scale"),
        _Order((False,), "-", "+", "_swapped", "the second input has no larger scale"),
    ),
}


def _of_two_scales(name: str, sign: int, signed: Signed, order: _Order) -> Kernel[SumFacts]:
    return Kernel(
        name=f"{name}_of_two_scales{order.ending}",
        template=_KERNELS / "sum_of_two_scales.c.j2",
        form=Form.POINTWISE,
        is_in_place=True,
        requires=frozenset((Feature.REGISTERS_32, Feature.MULTIPLY_64)),
        excludes=frozenset((Feature.MVE,)),
        can=(
            EQUAL_SHAPES,
            Condition(
                lambda operands: _is_first_coarse(operands.own) in order.firsts, order.otherwise
            ),
        ),
        runtime=("rounding_high_of_doubled", "requantize"),
        variant=Coarse(signed.called, signed.sign, order.coarse_sign, order.fine_sign),
        pack=lambda work: _pack_coarse(work, sign),
    )


def _has_one_scale(operands: SumFacts) -> bool:
    return operands.own.first_scale == operands.own.second_scale == _COARSE


def _is_first_coarse(params: SumParams) -> bool | None:
    """Whether the first input has the larger scale; None if neither has."""
    first, second = params.first_scale, params.second_scale
    for is_first, coarse, (_, fine_shift) in ((True, first, second), (False, second, first)):
        if coarse == _COARSE and fine_shift < 0:
            return is_first
    return None


def _members(params: SumParams, offset: int) -> dict[str, int]:
    """The members that both kinds of params have."""
    return {
        "offset": -offset << _RAISED_BITS,
        "multiplier": params.output_multiplier,
        "shift": params.output_shift,
        "output_zero_point": params.output_zero_point,
        "clamp_min": params.clamp_min,
        "clamp_max": params.clamp_max,
    }


_MOST_SUM = 2 * _MOST_DISTANCE << _RAISED_BITS
"""The largest sum: no fine value is larger in magnitude than a coarse one can be."""


def _pack_equal(work: Work[SumFacts], sign: int) -> Packed:
    params = work.facts.own
    offset = params.first_zero_point + sign * params.second_zero_point
    return _bounded(EqualParams(**_members(params, offset)))


def _pack_coarse(work: Work[SumFacts], sign: int) -> Packed:
    params = work.facts.own
    is_first = _is_first_coarse(params)
    multiplier, shift = params.second_scale if is_first else params.first_scale
    zero_points = (params.first_zero_point, params.second_zero_point)
    coarse, fine = zero_points if is_first else zero_points[::-1]
    packed = CoarseParams(
        **_members(params, coarse if is_first else sign * coarse),
        fine_offset=-fine << _FINE_BITS,
        fine_multiplier=multiplier,
        fine_half=1 << (-shift - 1),
        fine_shift=-shift,
        is_first_coarse=int(bool(is_first)),
    )
    return _bounded(packed)


def _bounded(params: EqualParams) -> Packed:
    return Packed(params, requantization=Requantization.of(params, most_sum=_MOST_SUM))
