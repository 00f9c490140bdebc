"""POW: a power of two tensors, broadcast where their shapes differ; LiteRT's."""

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ops._shared.broadcast import has_single_constants
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.plain_values import plain_operands, takes_type
from tinyml_rules.ops._shared.real_maps import ISLAND
from tinyml_rules.ops._shared.value_kernels import Values, value_meaning
from tinyml_rules.ops.pow.op import check_int32, check_real
from tinyml_rules.ops.pow.oracle import of_int32, of_real

_VALUES = Values(
    "pow/kernels/value.c.j2", operands=("int32_t", "int32_t"), result="int32_t", takes_params=False
)

OP = Op(
    name="pow",
    builtin_code=78,
    options_type=56,
    inputs=("first input", "second input"),
    summary="int32, an exponent below 0 as 0; broadcast up to 4 dimensions; either input "
    f"constant; {ISLAND}, one input a constant of one value",
    is_map=has_single_constants,
    meanings=(
        value_meaning(
            "pow",
            _VALUES,
            of_int32,
            takes=takes_type(DType.INT32),
            operands=plain_operands(DType.INT32, DType.INT32),
            check=check_int32,
        ),
        Meaning(
            takes=takes_type(DType.FLOAT32),
            operands=plain_operands(DType.FLOAT32, DType.FLOAT32),
            check=check_real,
            oracle=of_real,
        ),
    ),
)
