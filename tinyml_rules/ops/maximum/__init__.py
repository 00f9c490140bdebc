"""MAXIMUM: the greater of two values, broadcast where their shapes differ."""

from tinyml_rules.ops._shared.extremum import extremum
from tinyml_rules.ops.maximum.oracle import oracle

OP = extremum("maximum", builtin_code=55, operator=">", oracle=oracle)
