"""NOT_EQUAL: where two tensors have different values, value by value."""

from tinyml_rules.ops._shared.comparison import NOT_EQUAL, comparison

OP = comparison("not_equal", NOT_EQUAL, builtin_code=72, options_type=54)
