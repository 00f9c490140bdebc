"""RESHAPE: the same bytes under another shape; nothing is computed and nothing is copied."""

from dataclasses import replace

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES_FIRST_VERSION
from tinyml_rules.ops._shared.views import layout
from tinyml_rules.ops.reshape.op import OPERANDS, Attrs, oracle

OP = Op(
    name="reshape",
    builtin_code=22,
    options_type=17,
    attrs=Attrs,
    inputs=("input", "shape?"),
    may_be_empty=("shape",),
    summary="any type; shape from options, a constant or the output; free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, oracle=oracle),),
    quantization=replace(MOVES_FIRST_VERSION, gives_shape=True),
)
