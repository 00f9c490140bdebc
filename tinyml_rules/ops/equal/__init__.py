"""EQUAL: where two tensors have the same value, value by value."""

from tinyml_rules.ops._shared.comparison import EQUAL, comparison
from tinyml_rules.ops.equal.oracle import oracle

OP = comparison("equal", EQUAL, oracle, builtin_code=71, options_type=53)
