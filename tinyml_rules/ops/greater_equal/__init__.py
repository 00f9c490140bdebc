"""GREATER_EQUAL: where the first tensor is not below the second, value by value."""

from tinyml_rules.ops._shared.comparison import GREATER_EQUAL, comparison
from tinyml_rules.ops.greater_equal.oracle import oracle

OP = comparison("greater_equal", GREATER_EQUAL, oracle, builtin_code=62, options_type=45)
