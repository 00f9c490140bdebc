"""RESIZE_NEAREST_NEIGHBOR: an image of another size, each pixel one of the old ones."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.resize_nearest_neighbor.op import OPERANDS, Attrs, layout, oracle

OP = Op(
    name="resize_nearest_neighbor",
    builtin_code=97,
    options_type=74,
    attrs=Attrs,
    inputs=("input", "size"),
    summary="any type; 4 dimensions; constant size; all corner options",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, oracle=oracle),),
    quantization=MOVES,
)
