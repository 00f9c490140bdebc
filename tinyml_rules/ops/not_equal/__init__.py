"""NOT_EQUAL: where two tensors have different values, value by value."""

from tinyml_rules.ops._shared.comparison import NOT_EQUAL, comparison
from tinyml_rules.ops.not_equal.oracle import oracle

OP = comparison("not_equal", NOT_EQUAL, oracle, builtin_code=72, options_type=54)
