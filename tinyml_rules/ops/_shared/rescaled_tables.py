"""The sum of two int8 tensors from tables of what each value adds to the result: one kilobyte of
flash saves all multiplications."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from tinyml_rules.arithmetic.fixed_point import multiply_by_quantized_multiplier
from tinyml_rules.arithmetic.sums_of_tables import Int32Array, in_tables
from tinyml_rules.ir.c_struct import Int8
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.features import OF_SOME_WEIGHTS, Feature
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ops._shared.common_scale import SumFacts, SumParams
from tinyml_rules.ops._shared.value_kernels import EQUAL_SHAPES

_VALUES = np.arange(256, dtype=np.int64).astype(np.int8).astype(np.int64)
"""By their bytes as numbers without a sign."""


@dataclass(frozen=True, eq=False)
class TableParams:
    """Members of the C struct: int16 entries of both tensors' values, by their bytes, and how many
    bits of a sum of two are below the point."""

    values: Array
    bits: Int8
    clamp_min: Int8
    clamp_max: Int8


def table_kernels(
    name: str, raised_bits: int, sign: int
) -> tuple[Kernel[SumFacts], Kernel[SumFacts]]:
    """The kernels for tensors of one shape whose values are shifted left by so many bits: where a
    product of 64 bits takes long, and, where it does not, for speed."""
    plain = Kernel(
        name=f"{name}_by_tables",
        template=Path(__file__).parent / "kernels" / "rescaled_tables.c.j2",
        form=Form.POINTWISE,
        is_in_place=True,
        excludes=frozenset((Feature.MVE, Feature.MULTIPLY_64)) | OF_SOME_WEIGHTS,
        can=(
            EQUAL_SHAPES,
            Condition(
                lambda operands: _tables_of(operands.own, raised_bits, sign) is not None,
                "no sums of two int16 are the results",
            ),
        ),
        runtime=("sums_of_tables",),
        pack=lambda work: _pack(work, raised_bits, sign),
    )
    for_speed = replace(
        plain,
        name=f"{name}_by_tables_for_speed",
        requires=frozenset((Feature.MULTIPLY_64,)),
        excludes=frozenset((Feature.MVE,)) | OF_SOME_WEIGHTS,
        is_for_speed=True,
    )
    return plain, for_speed


def _tables_of(params: SumParams, raised_bits: int, sign: int) -> tuple[Int32Array, int] | None:
    return _found(tuple(vars(params).items()), raised_bits, sign)


@lru_cache(maxsize=64)
def _found(
    members: tuple[tuple[str, int], ...], raised_bits: int, sign: int
) -> tuple[Int32Array, int] | None:
    params = SumParams(**dict(members))
    first, second = (
        multiply_by_quantized_multiplier((_VALUES - zero_point) << raised_bits, *scale)
        for zero_point, scale in (
            (params.first_zero_point, params.first_scale),
            (params.second_zero_point, params.second_scale),
        )
    )
    output = (params.output_multiplier, params.output_shift)
    sums = (first[:, np.newaxis] + sign * second).reshape(-1)
    results = multiply_by_quantized_multiplier(sums, *output) + params.output_zero_point
    factor = params.output_multiplier * 2.0 ** (params.output_shift - 31)
    clamps = (params.clamp_min, params.clamp_max)
    return in_tables(
        first * factor + params.output_zero_point + 1 / 2,
        sign * second * factor,
        np.clip(results, *clamps).reshape(len(first), -1),
        clamps,
    )


def _pack(work: Work[SumFacts], raised_bits: int, sign: int) -> Packed:
    params = work.facts.own
    found = _tables_of(params, raised_bits, sign)
    assert found is not None
    values, bits = found
    return Packed(TableParams(values.astype(np.int16), bits, params.clamp_min, params.clamp_max))
