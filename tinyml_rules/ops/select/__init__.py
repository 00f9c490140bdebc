"""SELECT: one of two values where a condition holds, else the other; of the same shape, or whole
rows."""

from tinyml_rules.ops._shared.broadcast import has_single_constants
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops._shared.selection import TYPES, select_meanings
from tinyml_rules.ops.select.op import check_shapes, operands
from tinyml_rules.ops.select.oracle import oracle

OP = Op(
    name="select",
    builtin_code=64,
    options_type=47,
    inputs=("condition", "second input", "third input"),
    summary=f"{', '.join(TYPES)}; equal shapes, or a condition for each row; any input constant; "
    "int8 in one quantization",
    is_map=has_single_constants,
    meanings=select_meanings(oracle, check_shapes, operands),
    quantization=MOVES,
)
