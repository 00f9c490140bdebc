"""What MAXIMUM and MINIMUM share: the choice of one of two values."""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ops._shared.broadcast import EITHER, FIRST_AND_SECOND, has_single_constants
from tinyml_rules.ops._shared.interval import rising
from tinyml_rules.ops._shared.operands import Operands, value_of
from tinyml_rules.ops._shared.operator import Op, Oracle
from tinyml_rules.ops._shared.plain_values import plain_meaning, plain_operands
from tinyml_rules.ops._shared.quantization import QuantizationRule
from tinyml_rules.ops._shared.quantized_values import QUANTIZED

TYPES = (DType.INT8, DType.INT16, DType.INT32, DType.INT64, DType.FLOAT32)


def extremum(
    name: str, *, builtin_code: int, operator: str, oracle: Oracle, quantization: QuantizationRule
) -> Op:
    """The first value if `first operator second`, else the second: of two zeros, and if either is
    NaN, it is the second, so that the order matters."""

    return Op(
        name=name,
        builtin_code=builtin_code,
        options_type=39,
        inputs=FIRST_AND_SECOND,
        summary=f"{', '.join(TYPES)}; broadcast up to 5 dimensions; either input constant; int8, "
        "int16 in one quantization",
        is_map=has_single_constants,
        quantization=quantization,
        meanings=tuple(
            replace(
                plain_meaning(
                    name,
                    dtype,
                    f"first {operator} second ? first : second",
                    oracle,
                    constants=EITHER,
                    operands=_operands(dtype),
                ),
                interval=rising(oracle),
            )
            for dtype in TYPES
        ),
    )


def _operands(dtype: DType) -> Operands:
    """Quantized values have one quantization: a rule of the 8-bit specification that no reference
    checks."""
    if dtype not in QUANTIZED:
        return plain_operands(dtype, dtype)
    inputs = dict.fromkeys(FIRST_AND_SECOND, value_of(dtype, scale_of="output"))
    return {**inputs, "output": value_of(dtype)}
