"""SQUARED_DIFFERENCE: the square of the difference of two tensors, broadcast where their shapes
differ."""

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ops._shared.broadcast import (
    SECOND,
    constant_last,
    has_single_constants,
)
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_values import plain_meaning, takes_type
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.value_kernels import Values, value_meaning
from tinyml_rules.ops.squared_difference.op import check, params_of
from tinyml_rules.ops.squared_difference.oracle import oracle, plain

_VALUES = Values("squared_difference/kernels/value.c.j2", runtime=("rescale", "requantize"))
_DIFFERENCE = "((uint32_t)first - (uint32_t)second)"


OP = Op(
    name="squared_difference",
    builtin_code=99,
    options_type=76,
    inputs=("first input", "second input"),
    summary="int8, int32, float32; broadcast up to 5 dimensions; either input constant",
    is_map=has_single_constants,
    meanings=(
        value_meaning(
            "squared_difference",
            _VALUES,
            oracle,
            takes=takes_type(DType.INT8),
            check=check,
            params_of=params_of,
            order=constant_last,
            constants=SECOND,
        ),
        *(
            plain_meaning(
                "squared_difference",
                dtype,
                expression,
                plain,
                constants=SECOND,
                order=constant_last,
            )
            for dtype, expression in (
                (DType.INT32, f"(int32_t)({_DIFFERENCE} * {_DIFFERENCE})"),
                (DType.FLOAT32, "(first - second) * (first - second)"),
            )
        ),
    ),
    quantization=FREE,
)
