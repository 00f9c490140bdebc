"""Operators that rescale two inputs to a common scale, twice the larger one, before they
compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinyml_rules.arithmetic.fixed_point import quantize_multiplier
from tinyml_rules.ir.c_struct import Int8, Result
from tinyml_rules.ir.contract import Multiplier, Shift
from tinyml_rules.ir.graph import Tensor
from tinyml_rules.ops._shared.broadcast import ValueFacts


@dataclass(frozen=True, eq=False)
class CommonScale:
    """Members of the C struct."""

    first_multiplier: Multiplier
    second_multiplier: Multiplier
    output_multiplier: Multiplier
    first_shift: Shift
    second_shift: Shift
    output_shift: Shift
    first_zero_point: Int8
    second_zero_point: Int8
    output_zero_point: Int8


@dataclass(frozen=True, eq=False)
class SumParams(CommonScale):
    """Members of the C struct of a sum or a difference."""

    clamp_min: Result
    clamp_max: Result

    @property
    def first_scale(self) -> tuple[int, int]:
        """(multiplier, shift) from the first input's scale to the common one."""
        return self.first_multiplier, self.first_shift

    @property
    def second_scale(self) -> tuple[int, int]:
        """The same of the second input."""
        return self.second_multiplier, self.second_shift


SumFacts = ValueFacts[SumParams]
"""The facts of such a node."""


def common_scale(operands: Sequence[Tensor], result: Tensor, factor: float) -> CommonScale:
    """How inputs and result are rescaled; `factor` leads from the result's scale to the
    output's."""
    first, second = operands
    common = 2 * max(first.scale, second.scale)
    first_multiplier, first_shift = quantize_multiplier(first.scale / common)
    second_multiplier, second_shift = quantize_multiplier(second.scale / common)
    output_multiplier, output_shift = quantize_multiplier(factor)
    return CommonScale(
        first_multiplier=first_multiplier,
        second_multiplier=second_multiplier,
        output_multiplier=output_multiplier,
        first_shift=first_shift,
        second_shift=second_shift,
        output_shift=output_shift,
        first_zero_point=first.zero_point,
        second_zero_point=second.zero_point,
        output_zero_point=result.zero_point,
    )
