"""REDUCE_MAX: the greatest value along some axes."""

from dataclasses import replace

from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_reduction import ORDERED, best, meanings
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops._shared.reduction import Attrs, channels
from tinyml_rules.ops.reduce_max.oracle import oracle

OP = Op(
    name="reduce_max",
    builtin_code=82,
    options_type=27,
    attrs=Attrs,
    channels=channels,
    inputs=("input", "axis"),
    summary=f"{', '.join(ORDERED)}; any axes, constants; keep_dims",
    meanings=meanings("reduce_max", lambda dtype: best(dtype, better=">"), oracle, ORDERED),
    quantization=replace(MOVES, takes_greatest=True),
)
