"""SQUARE: x * x, of real numbers."""

from tinyml_rules.ops._shared.real_maps import map_op, real_map
from tinyml_rules.ops.square.oracle import oracle

OP = map_op("square", 92, real_map(oracle), options_type=66)
