"""SIN: sine, of real numbers."""

from tinyml_rules.ops._shared.real_maps import map_op, real_map
from tinyml_rules.ops.sin.oracle import oracle

OP = map_op("sin", 66, real_map(oracle))
