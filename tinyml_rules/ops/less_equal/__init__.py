"""LESS_EQUAL: where the first tensor is not above the second, value by value."""

from tinyml_rules.ops._shared.comparison import LESS_EQUAL, comparison
from tinyml_rules.ops.less_equal.oracle import oracle

OP = comparison("less_equal", LESS_EQUAL, oracle, builtin_code=63, options_type=46)
