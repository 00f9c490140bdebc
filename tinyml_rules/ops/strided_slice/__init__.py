"""STRIDED_SLICE: elements from a begin to an end along each dimension, in steps."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.strided_slice.op import OPERANDS, Attrs, check, check_options, layout
from tinyml_rules.ops.strided_slice.oracle import oracle

OP = Op(
    name="strided_slice",
    builtin_code=45,
    options_type=32,
    attrs=Attrs,
    inputs=("input", "begin", "end", "strides"),
    options=check_options,
    summary="any type; constant begins, ends and strides, negative ones too; "
    "all masks; of the outermost dimension free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=MOVES,
)
