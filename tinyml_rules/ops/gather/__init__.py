"""GATHER: what lies at the places of an axis that indices tell."""

from tinyml_rules.ops._shared.gathering import meanings
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.gather.op import OPERANDS, Attrs, check, gathering, layout, oracle

OP = Op(
    name="gather",
    builtin_code=36,
    options_type=23,
    attrs=Attrs,
    inputs=("input", "indices"),
    summary="any type; any axis and batch dimensions; int32 indices, constant or computed and then "
    "kept inside; neighbours of the outermost dimension free",
    layout=layout,
    meanings=meanings(OPERANDS, check, oracle, gathering),
    quantization=MOVES,
)
