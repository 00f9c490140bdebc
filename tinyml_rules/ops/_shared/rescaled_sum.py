"""The sum and the difference of two int8 tensors (ADD, SUB).

Both inputs are rescaled to a common scale, twice the larger one, and shifted left by 20 bits; the
result is rescaled to the output's scale.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tinyml_rules.arithmetic.fixed_point import Activation, clamp_range
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.ops._shared.activated import activation_of
from tinyml_rules.ops._shared.broadcast import (
    EITHER,
    FIRST_AND_SECOND,
    SECOND,
    check_broadcast,
    constant_last,
    inputs_of,
)
from tinyml_rules.ops._shared.coarse_sums import Signed, coarse_kernels
from tinyml_rules.ops._shared.common_scale import SumFacts, SumParams, common_scale
from tinyml_rules.ops._shared.operator import Meaning, Oracle
from tinyml_rules.ops._shared.plain_values import takes_type
from tinyml_rules.ops._shared.rescaled_tables import table_kernel
from tinyml_rules.ops._shared.value_kernels import Values, value_meaning
from tinyml_rules.ops._shared.vector_values import vector_kernel

LEFT_SHIFT = 20

_VECTORS = Path(__file__).parent / "kernels" / "rescaled_sum_vectors.c.j2"


_BECOMES_SMALLER = Condition[SumFacts](
    lambda operands: operands.own.output_shift < 0, "sums are not shifted to the right"
)


def sum_meaning(name: str, oracle: Oracle, *, called: str, sign: int) -> Meaning[SumFacts]:
    """The first input plus the second, or minus it, as TFLM adds int8."""
    order, constants = (constant_last, SECOND) if sign > 0 else (inputs_of, EITHER)

    values = Values(
        "_shared/kernels/rescaled_sum.c.j2",
        runtime=("rescale",),
        function=Signed(called, "+" if sign > 0 else "-"),
    )
    meaning = value_meaning(
        name,
        values,
        oracle,
        takes=takes_type(DType.INT8),
        check=lambda view: check(view, called),
        params_of=lambda view: params_of(view, order(view)),
        order=order,
        constants=constants,
    )
    vectors = vector_kernel(name, _VECTORS, _BECOMES_SMALLER, values.function)
    by_tables = table_kernel(name, LEFT_SHIFT, sign)
    equal, *coarse = coarse_kernels(name, called, sign)
    return replace(meaning, kernels=(vectors, equal, by_tables, *coarse, *meaning.kernels))


def check(view: NodeView, called: str) -> Iterator[str]:
    """Shapes that broadcast to the output's, and scales in range."""
    yield from check_broadcast(view)
    if not _scales_are_sane(view):
        yield f"output tensor {view.output} has a scale too small for the {called} of its inputs"


def _scales_are_sane(view: NodeView) -> bool:
    """TFLM needs the last multiplier below 1."""
    return (
        2 * max(view[name].scale for name in FIRST_AND_SECOND) < 2.0**LEFT_SHIFT * view.output.scale
    )


def params_of(view: NodeView, operands: Sequence[Tensor]) -> SumParams:
    """Everything that does not depend on the input's values; `AddPrepare` of TFLM."""
    result = view.output
    factor = 2 * max(each.scale for each in operands) / (2**LEFT_SHIFT * result.scale)
    clamp_min, clamp_max = clamp_range(
        Activation(activation_of(view)), scale=result.scale, zero_point=result.zero_point
    )
    common = common_scale(operands, result, factor)
    return SumParams(**vars(common), clamp_min=clamp_min, clamp_max=clamp_max)
