"""COS: cosine, of real numbers."""

from tinyml_rules.ops._shared.real_maps import map_op, real_map
from tinyml_rules.ops.cos.oracle import oracle

OP = map_op("cos", 108, real_map(oracle), options_type=84)
