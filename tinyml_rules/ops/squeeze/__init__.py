"""SQUEEZE: the same bytes without dimensions of 1."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES_FIRST_VERSION
from tinyml_rules.ops._shared.views import VIEW, layout
from tinyml_rules.ops.squeeze.op import Attrs, oracle

OP = Op(
    name="squeeze",
    builtin_code=43,
    options_type=30,
    attrs=Attrs,
    inputs=("input",),
    summary="any type; shape from the output; free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=VIEW, oracle=oracle),),
    quantization=MOVES_FIRST_VERSION,
)
