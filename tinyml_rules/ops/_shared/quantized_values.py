"""Elementwise operators on quantized values: of int8, or of int16 with zero points of 0."""

from __future__ import annotations

from typing import Any

from tinyml_rules.ir.contract import Contract
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.words import ONLY, Variant
from tinyml_rules.ops._shared.broadcast import FIRST_AND_SECOND
from tinyml_rules.ops._shared.operands import Operands, value_of
from tinyml_rules.ops._shared.operator import Meaning, Oracle
from tinyml_rules.ops._shared.plain_values import takes_type
from tinyml_rules.ops._shared.value_kernels import Values, value_meaning

QUANTIZED = (DType.INT8, DType.INT16)
_ENDINGS = {DType.INT8: "", DType.INT16: "_int16"}
"""Of names of kernels, and of the piece of emit/runtime that requantizes to the type."""


def quantized_meaning(
    name: str,
    dtype: DType,
    template: str,
    oracle: Oracle,
    *,
    runtime: tuple[str, ...],
    function: Variant = ONLY,
    second: DType | None = None,
    result: DType | None = None,
    contract: Contract | None = None,
    **more: Any,
) -> Meaning[Any]:
    """The meaning for inputs of one type, but for a `second` of another, to a `result` of the same
    or another; `template` has the function of values, `more` is for `value_meaning`."""
    types = (dtype, second or dtype)
    ending = _ENDINGS[dtype]
    values = Values(
        template,
        operands=tuple(each.c_type for each in types),
        result=(result or dtype).c_type,
        runtime=tuple(f"{each}{ending}" if each == "requantize" else each for each in runtime),
        function=function,
        of_type=ending,
        contract=contract,
    )
    rules = {"operands": pair_of(dtype), **more}
    return value_meaning(f"{name}{ending}", values, oracle, takes=takes_type(dtype), **rules)


def pair_of(dtype: DType) -> Operands:
    """Operands of most operators."""
    return dict.fromkeys((*FIRST_AND_SECOND, "output"), value_of(dtype))
