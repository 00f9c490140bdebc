"""GREATER: where the first tensor is above the second, value by value."""

from tinyml_rules.ops._shared.comparison import GREATER, comparison
from tinyml_rules.ops.greater.oracle import oracle

OP = comparison("greater", GREATER, oracle, builtin_code=61, options_type=44)
