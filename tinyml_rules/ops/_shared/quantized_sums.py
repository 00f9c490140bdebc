"""What MEAN and SUM of int8, uint8 and int16 share: int32 sums that are requantized.

A uint8 output is computed as the int8 that is 128 less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN, INT32_MAX
from tinyml_rules.ir.c_struct import Int8, Int32
from tinyml_rules.ir.contract import Between, Contract, Multiplier, Pointer, RunningSums, Shift
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.accumulate import beyond_int32
from tinyml_rules.ops._shared.axes import check_axes
from tinyml_rules.ops._shared.interval import rising
from tinyml_rules.ops._shared.operands import quantized
from tinyml_rules.ops._shared.operator import Meaning, Oracle
from tinyml_rules.ops._shared.reduction import (
    Totals,
    Walk,
    cells_of,
    kernel,
    operands_of,
    reduced,
    walk_of,
)

MOST_CELLS = INT32_MAX // (INT8_MAX - INT8_MIN)
MOST_INT16_CELLS = INT32_MAX // 2**15
"""int16 has no zero point."""

_HALF = 2**30
"""The most that the start value of a sum, and what is added to it, are in a proof."""
MultiplierOf = Callable[[NodeView, int], tuple[int, int]]
"""(multiplier, shift) of a node's sums, from the number of values in each."""


@dataclass(frozen=True, eq=False)
class Params(Walk):
    """The same with how a sum is requantized; `bias` is the start value of a sum, which accounts
    for the input's zero point."""

    bias: Annotated[Int32, Between(-_HALF, _HALF)]
    multiplier: Multiplier
    shift: Shift
    output_zero_point: Int8


def _totals(dtype: DType) -> Totals:
    """Sums that begin with the bias."""
    limits = "INT16_MIN, INT16_MAX" if dtype is DType.INT16 else "INT8_MIN, INT8_MAX"
    requantized = (
        f"{{p}}{_piece(dtype)}({{total}}, params->multiplier, params->shift,\n"
        f"            params->output_zero_point, {limits})"
    )
    return Totals(
        c_type="int32_t",
        start="params->bias",
        step="{total} += {value};",
        result=f"(uint8_t)({requantized} - INT8_MIN)" if dtype is DType.UINT8 else requantized,
    )


def _contract(dtype: DType) -> Contract:
    """As if one total had all values of the input."""
    most = max(map(abs, dtype.limits))
    values = "outputs * cells"
    return Contract(
        (Pointer("piece"),),
        Pointer("output", "outputs"),
        (f"{values} <= {(_HALF - 2**17) // most}",),
        sums=RunningSums("totals", most=_HALF, more=most, values=values),
    )


def _piece(dtype: DType) -> str:
    return "requantize_int16" if dtype is DType.INT16 else "requantize"


def _check(view: NodeView) -> Iterator[str]:
    """Axes of the input; sums that int32 holds."""
    yield from constraints.rescaling(view["input"], view.output)
    wrong = list(check_axes(view))
    yield from wrong
    most = MOST_INT16_CELLS if view["input"].dtype is DType.INT16 else MOST_CELLS
    if not wrong and cells_of(view) > most:
        yield (
            f"a sum over input tensor {view['input']} has {cells_of(view)} values, "
            f"expected at most {most}, of which int32 holds the sum"
        )


def meanings(name: str, multiplier_of: MultiplierOf, oracle: Oracle) -> tuple[Meaning, ...]:
    """The meanings of an operator whose sums have this multiplier, for each type."""
    return (
        _meaning(name, DType.INT8, multiplier_of, oracle),
        _meaning(f"{name}_uint8", DType.UINT8, multiplier_of, oracle),
        _meaning(f"{name}_int16", DType.INT16, multiplier_of, oracle),
    )


def _meaning(name: str, dtype: DType, multiplier_of: MultiplierOf, oracle: Oracle) -> Meaning:
    low, high = dtype.limits
    of_ends = rising(oracle)
    operand = quantized(dtype, centred=(DType.INT16,))

    def prepare(view: NodeView) -> Work:
        source, result, walk = view["input"], view.output, walk_of(view)
        multiplier, shift = multiplier_of(view, walk.cells)
        params = Params(
            **vars(walk),
            bias=-walk.cells * source.zero_point,
            multiplier=multiplier,
            shift=shift,
            output_zero_point=result.zero_point + (INT8_MIN if dtype is DType.UINT8 else 0),
        )
        least, most = (np.array([walk.cells * (end - source.zero_point)]) for end in (low, high))
        overflow = beyond_int32(least, most, multiplier, shift, zero_point=params.output_zero_point)
        return Work(params=params, overflow=overflow, **operands_of(view))

    return Meaning(
        operands=reduced(operand, operand),
        check=_check,
        oracle=oracle,
        prepare=prepare,
        kernels=(
            kernel(
                name,
                _totals(dtype),
                element=dtype.c_type,
                runtime=(_piece(dtype),),
                contract=_contract(dtype),
            ),
        ),
        takes=lambda view: view["input"].dtype is dtype,
        interval=lambda view, intervals: (
            None if prepare(view).overflow else of_ends(view, intervals)
        ),
    )
