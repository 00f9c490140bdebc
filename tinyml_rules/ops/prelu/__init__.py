"""PRELU: values below 0 times alpha, which broadcasts."""

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ops._shared.broadcast import SECOND, has_single_constants
from tinyml_rules.ops._shared.operands import int8
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_values import (
    MOST_SIMPLE_RANK,
    plain_meaning,
    plain_operands,
    takes_type,
)
from tinyml_rules.ops._shared.quantization import QuantizationRule
from tinyml_rules.ops._shared.value_kernels import Values, value_meaning
from tinyml_rules.ops.prelu.op import check, check_shapes, params_of
from tinyml_rules.ops.prelu.oracle import oracle, real

_VALUES = Values("prelu/kernels/value.c.j2", runtime=("requantize",))

OP = Op(
    name="prelu",
    builtin_code=54,
    inputs=("input", "alpha"),
    summary="int8, float32; alpha broadcasts to the input, constant or computed",
    is_map=has_single_constants,
    meanings=(
        value_meaning(
            "prelu",
            _VALUES,
            oracle,
            takes=takes_type(DType.INT8),
            operands={"input": int8(), "alpha": int8(), "output": int8()},
            check=check,
            params_of=params_of,
            constants=SECOND,
        ),
        plain_meaning(
            "prelu",
            DType.FLOAT32,
            "first >= 0.0f ? first : first * second",
            real,
            constants=SECOND,
            most_rank=MOST_SIMPLE_RANK,
            operands=plain_operands(DType.FLOAT32, DType.FLOAT32, ("input", "alpha")),
            more=check_shapes,
        ),
    ),
    quantization=QuantizationRule(version=1),
)
