"""FLOOR_MOD: what is left of quotients that are rounded down."""

from tinyml_rules.ops._shared.dividing import IS_ABOVE, floored
from tinyml_rules.ops.floor_mod.oracle import of_int32, of_real

OP = floored(
    "floor_mod",
    (95, 72),
    f"second == 0 || second == -1 ? 0 : first % second + ({IS_ABOVE} ? second : 0)",
    of_int32=of_int32,
    of_real=of_real,
)
