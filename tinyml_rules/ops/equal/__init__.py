"""EQUAL: where two tensors have the same value, value by value."""

from tinyml_rules.ops._shared.comparison import EQUAL, comparison

OP = comparison("equal", EQUAL, builtin_code=71, options_type=53)
