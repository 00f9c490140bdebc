"""Cases of MEAN."""

from tinyml_rules.ops._shared.cases.reduction import reduction_cases, reduction_rejected

CASES = reduction_cases("MEAN")
REJECTED = reduction_rejected("MEAN")
