"""The sum of two int8 tensors from tables of their values at the common scale: two kilobytes of
flash, or one if both have the same scale, save two multiplications per value."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.arithmetic.fixed_point import multiply_by_quantized_multiplier
from tinyml_rules.ir.c_struct import Int8, Int32
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ops._shared.common_scale import SumFacts
from tinyml_rules.ops._shared.value_kernels import EQUAL_SHAPES

_VALUES = np.arange(-128, 128, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class TableParams:
    """Members of the C struct: int32 tables of the int8 values, from -128 on, at the common scale,
    the second input's with the operator's sign; and how sums are requantized."""

    first_values: Array
    second_values: Array
    multiplier: Int32
    shift: Int8
    output_zero_point: Int8
    clamp_min: Int8
    clamp_max: Int8


_NO_LARGER = Condition[SumFacts](
    lambda operands: operands.own.output_shift <= 0, "sums are shifted to the left"
)


def table_kernel(name: str, raised_bits: int, sign: int) -> Kernel[SumFacts]:
    """The kernel for tensors of one shape whose values are shifted left by so many bits."""
    return Kernel(
        name=f"{name}_by_tables",
        template=Path(__file__).parent / "kernels" / "rescaled_tables.c.j2",
        form=Form.POINTWISE,
        is_in_place=True,
        requires=frozenset((Feature.REGISTERS_32,)),
        excludes=frozenset((Feature.MVE,)),
        can=(EQUAL_SHAPES, _NO_LARGER),
        runtime=("requantize",),
        pack=lambda work: _pack(work, raised_bits, sign),
        is_for_speed=True,
    )


def _pack(work: Work[SumFacts], raised_bits: int, sign: int) -> Packed:
    params = work.facts.own
    first, second = (
        multiply_by_quantized_multiplier((_VALUES - zero_point) << raised_bits, multiplier, shift)
        for zero_point, multiplier, shift in (
            (params.first_zero_point, params.first_multiplier, params.first_shift),
            (params.second_zero_point, params.second_multiplier, params.second_shift),
        )
    )
    tables = TableParams(
        first_values=first.astype(np.int32),
        second_values=(sign * second).astype(np.int32),
        multiplier=params.output_multiplier,
        shift=params.output_shift,
        output_zero_point=params.output_zero_point,
        clamp_min=params.clamp_min,
        clamp_max=params.clamp_max,
    )
    most = int(np.abs(first).max() + np.abs(second).max())
    return Packed(tables, requantization=Requantization.of(tables, most_sum=most))
