"""MINIMUM: the lesser of two values, broadcast where their shapes differ."""

from tinyml_rules.ops._shared.extremum import extremum
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.minimum.oracle import oracle

OP = extremum("minimum", builtin_code=57, operator="<", oracle=oracle, quantization=MOVES)
