"""FLOOR: the next integer below, of real numbers."""

from tinyml_rules.ops._shared.real_maps import map_op, real_map
from tinyml_rules.ops.floor.oracle import oracle

OP = map_op("floor", 8, real_map(oracle))
