"""PRELU: values below 0 times alpha, which broadcasts."""

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ops._shared.broadcast import SECOND, has_single_constants, inputs_of, value_work
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.plain_values import MOST_SIMPLE_RANK, plain_meaning, takes_type
from tinyml_rules.ops._shared.value_kernels import Values, value_kernels
from tinyml_rules.ops.prelu.op import check, check_shapes, params_of
from tinyml_rules.ops.prelu.oracle import oracle, real

_VALUES = Values("prelu/kernels/value.c.j2", runtime=("requantize",))

OP = Op(
    name="prelu",
    builtin_code=54,
    input_counts=range(2, 3),
    summary="int8, float32; alpha broadcasts to the input, constant or computed",
    is_map=has_single_constants,
    meanings=(
        Meaning(
            takes=takes_type(DType.INT8),
            check=check,
            oracle=oracle,
            prepare=lambda view: value_work(
                view, inputs_of(view), params_of(view), constants=SECOND
            ),
            kernels=value_kernels("prelu", _VALUES),
        ),
        plain_meaning(
            "prelu",
            DType.FLOAT32,
            "first >= 0.0f ? first : first * second",
            real,
            constants=SECOND,
            most_rank=MOST_SIMPLE_RANK,
            more=check_shapes,
        ),
    ),
)
