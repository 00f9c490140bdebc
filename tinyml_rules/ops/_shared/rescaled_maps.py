"""Operators that map int16 values one by one: they are moved to another scale.

Those of int8 become tables; one of int16 would have 65,536 entries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.arithmetic.fixed_point import Activation, quantize_multiplier
from tinyml_rules.ir.c_struct import Int16
from tinyml_rules.ir.contract import CLAMPED, CLAMPS, Multiplier, ProductShift, each_value
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.activated import clamps_of
from tinyml_rules.ops._shared.operands import value_of
from tinyml_rules.ops._shared.operator import Check, Meaning, Oracle
from tinyml_rules.ops._shared.plain_values import takes_type
from tinyml_rules.ops._shared.pointwise import check_factor, map_work

RESCALED = "@rescale(value, params->multiplier, params->shift)"
"""The C expression of a value in the output's scale."""
INT16_MAP = {"input": value_of(DType.INT16), "output": value_of(DType.INT16, shape="input")}
"""Operands of an operator from int16 to int16."""


@dataclass(frozen=True)
class MapParams:
    """Members of the C struct."""

    multiplier: Multiplier
    shift: ProductShift
    clamp_min: Int16
    clamp_max: Int16


@dataclass(frozen=True, kw_only=True)
class RescaledMap(Variant):
    """Words of the template."""

    called: str
    """Name of the operator in the comment."""
    what: str
    """What becomes of a value, in the comment."""
    expression: str
    """C expression of `value` and `params`; @ before the name of a piece that it calls."""


def factor_params(view: NodeView, factor: float, activation: int = Activation.NONE) -> MapParams:
    """The members for this factor between the scales."""
    return MapParams(*quantize_multiplier(factor), *clamps_of(activation, view.output))


def int16_map(
    name: str,
    oracle: Oracle,
    params_of: Callable[[NodeView], object],
    *,
    expression: str = RESCALED,
    what: str = "moved to the output's scale",
    check: Check = check_factor,
) -> Meaning:
    """The meaning for int16, from a C expression of one value."""
    kernel = Kernel(
        name=f"{name}_int16",
        template=Path(__file__).parent / "kernels" / "rescaled_map.c.j2",
        form=Form.POINTWISE,
        is_in_place=True,
        runtime=("rescale",),
        contract=each_value(requires=(CLAMPS,), result=CLAMPED),
        variant=RescaledMap(called=name.upper(), what=what, expression=expression),
    )
    return Meaning(
        takes=takes_type(DType.INT16),
        operands=INT16_MAP,
        check=check,
        oracle=oracle,
        prepare=lambda view: map_work(view, params_of(view)),
        kernels=(kernel,),
    )
