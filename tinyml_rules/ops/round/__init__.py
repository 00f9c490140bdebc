"""ROUND: the nearest integer, of real numbers; ties to the even one."""

from tinyml_rules.ops._shared.real_maps import map_op, real_map
from tinyml_rules.ops.round.oracle import oracle

OP = map_op("round", 116, real_map(oracle))
