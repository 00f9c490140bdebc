"""SELECT_V2: one of two values where a condition holds, else the other; all three broadcast."""

from tinyml_rules.ops._shared.broadcast import check_broadcast, has_single_constants, inputs_of
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.quantization import MOVES_FIRST_VERSION
from tinyml_rules.ops._shared.selection import TYPES, select_meanings
from tinyml_rules.ops.select_v2.oracle import oracle

OP = Op(
    name="select_v2",
    builtin_code=123,
    options_type=98,
    inputs=("condition", "second input", "third input"),
    summary=f"{', '.join(TYPES)}; broadcast up to 5 dimensions; any input constant; int8 in one "
    "quantization",
    is_map=has_single_constants,
    meanings=select_meanings(oracle, check_broadcast, inputs_of),
    quantization=MOVES_FIRST_VERSION,
)
