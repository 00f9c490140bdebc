"""GREATER: where the first tensor is above the second, value by value."""

from tinyml_rules.ops._shared.comparison import GREATER, comparison

OP = comparison("greater", GREATER, builtin_code=61, options_type=44)
