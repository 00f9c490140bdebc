"""Cases of SUM."""

from tinyml_rules.ops._shared.cases.reduction import reduction_cases, reduction_rejected

CASES = reduction_cases("SUM")
REJECTED = reduction_rejected("SUM")
