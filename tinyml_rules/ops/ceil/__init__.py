"""CEIL: the next integer above, of real numbers."""

from tinyml_rules.ops._shared.real_maps import map_op, real_map
from tinyml_rules.ops.ceil.oracle import oracle

OP = map_op("ceil", 104, real_map(oracle))
