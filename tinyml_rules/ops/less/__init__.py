"""LESS: where the first tensor is below the second, value by value."""

from tinyml_rules.ops._shared.comparison import LESS, comparison

OP = comparison("less", LESS, builtin_code=58, options_type=41)
