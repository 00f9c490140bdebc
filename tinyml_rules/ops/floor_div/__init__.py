"""FLOOR_DIV: quotients, rounded down."""

from tinyml_rules.ops._shared.dividing import IS_ABOVE, floored
from tinyml_rules.ops.floor_div.oracle import of_int32, of_real

OP = floored(
    "floor_div",
    (90, 65),
    "second == 0 ? 0 : second == -1 ? (int32_t)(0u - (uint32_t)first) : "
    f"first / second - ({IS_ABOVE} ? 1 : 0)",
    of_int32=of_int32,
    of_real=of_real,
)
