"""LESS: where the first tensor is below the second, value by value."""

from tinyml_rules.ops._shared.comparison import LESS, comparison
from tinyml_rules.ops.less.oracle import oracle

OP = comparison("less", LESS, oracle, builtin_code=58, options_type=41)
