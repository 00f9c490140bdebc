"""The sum and the difference of two tensors of int8 or int16 (ADD, SUB).

Both inputs are rescaled to a common scale, twice the larger one, and shifted left by 20 bits, or by
15 of int16; the result is rescaled to the output's scale.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.contract import CLAMPED, CLAMPS, Contract
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ops._shared.activated import activation_of, clamps_of
from tinyml_rules.ops._shared.broadcast import (
    EITHER,
    FIRST_AND_SECOND,
    NAMES,
    PAIR,
    SECOND,
    check_broadcast,
    constant_last,
    inputs_of,
)
from tinyml_rules.ops._shared.coarse_sums import Signed, coarse_kernels
from tinyml_rules.ops._shared.common_scale import SumFacts, SumParams, common_scale
from tinyml_rules.ops._shared.interval import IntervalMeaning
from tinyml_rules.ops._shared.operator import Meaning, Oracle
from tinyml_rules.ops._shared.quantized_values import QUANTIZED, quantized_meaning
from tinyml_rules.ops._shared.rescaled_tables import table_kernels
from tinyml_rules.ops._shared.vector_values import vector_kernel

LEFT_SHIFTS = {DType.INT8: 20, DType.INT16: 15}

_REQUIRES = {
    DType.INT8: (),
    DType.INT16: (
        "first_zero_point == 0 && second_zero_point == 0",
        *(f"{each}_shift <= -1 || {each}_multiplier <= {2**30}" for each in NAMES[:PAIR]),
    ),
}
"""What contracts require: of int16 no zero points, and factors of a half at most, because the
common scale is twice the larger one."""
_HALF = 0.5
"""The fraction of a power of two, as `frexp` has it."""
_VECTORS = Path(__file__).parent / "kernels" / "rescaled_sum_vectors.c.j2"


_BECOMES_SMALLER = Condition[SumFacts](
    lambda operands: operands.own.output_shift < 0, "sums are not shifted to the right"
)


@dataclass(frozen=True)
class Raised(Signed):
    """Words of the function of values."""

    bits: int
    """By which values are shifted left at the common scale."""


def sum_meanings(
    name: str, oracle: Oracle, interval: IntervalMeaning, *, called: str, sign: int
) -> tuple[Meaning[SumFacts], ...]:
    """The first input plus the second, or minus it, as TFLM adds int8 and int16."""
    order, constants = (constant_last, SECOND) if sign > 0 else (inputs_of, EITHER)
    signed = Signed(called, "+" if sign > 0 else "-")
    of_int8, of_int16 = (
        quantized_meaning(
            name,
            dtype,
            "_shared/kernels/rescaled_sum.c.j2",
            oracle,
            runtime=("rescale",),
            function=Raised(signed.called, signed.sign, LEFT_SHIFTS[dtype]),
            check=lambda view: check(view, called),
            params_of=lambda view: params_of(view, order(view)),
            order=order,
            constants=constants,
            contract=Contract(requires=(CLAMPS, *_REQUIRES[dtype]), result=CLAMPED),
        )
        for dtype in QUANTIZED
    )
    vectors = vector_kernel(name, _VECTORS, _BECOMES_SMALLER, signed)
    by_tables, tables_for_speed = table_kernels(name, LEFT_SHIFTS[DType.INT8], sign)
    equal, *coarse = coarse_kernels(name, called, sign)
    kernels = (vectors, by_tables, equal, tables_for_speed, *coarse, *of_int8.kernels)
    return replace(of_int8, kernels=kernels, interval=interval), of_int16


def check(view: NodeView, called: str) -> Iterator[str]:
    """Shapes that broadcast to the output's, and scales in range."""
    yield from check_broadcast(view)
    yield from _powers_in_litert(view)
    if not _scales_are_sane(view):
        yield f"output tensor {view.output} has a scale too small for the {called} of its inputs"


def _scales_are_sane(view: NodeView) -> bool:
    """TFLM needs the last multiplier below 1."""
    common = 2 * max(view[name].scale for name in FIRST_AND_SECOND)
    return common < 2.0 ** LEFT_SHIFTS[view.output.dtype] * view.output.scale


def _powers_in_litert(view: NodeView) -> Iterator[str]:
    """LiteRT has another formula for int16 whose scales are all powers of two."""
    result, scales = view.output, [each.scale for each in (*inputs_of(view), view.output)]
    are_powers = all(math.frexp(scale)[0] == _HALF for scale in scales)
    is_litert = view.reference is RoundingReference.LITERT
    if is_litert and result.dtype is DType.INT16 and are_powers:
        yield (
            f"output tensor {result} is int16 and all scales are powers of two, supported only "
            "with rounding=tflm"
        )


def params_of(view: NodeView, operands: Sequence[Tensor]) -> SumParams:
    """Everything that does not depend on the input's values; `AddPrepare` of TFLM."""
    result = view.output
    raised = 2 ** LEFT_SHIFTS[result.dtype]
    factor = 2 * max(each.scale for each in operands) / (raised * result.scale)
    clamp_min, clamp_max = clamps_of(activation_of(view), result)
    common = common_scale(operands, result, factor)
    return SumParams(**vars(common), clamp_min=clamp_min, clamp_max=clamp_max)
