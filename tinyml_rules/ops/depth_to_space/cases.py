"""Cases of DEPTH_TO_SPACE."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.case import Rejected, with_tensor
from tinyml_rules.ops._shared.cases.depth import (
    depth_cases,
    depth_models,
    depth_rejected,
    moved_blocks,
)

OPERATOR = "DEPTH_TO_SPACE"
CASES = depth_cases(OPERATOR)
REJECTED = {
    **depth_rejected(OPERATOR),
    "parts_of_blocks": Rejected(
        with_tensor(moved_blocks(OPERATOR), 1, shape=(1, 4, 5, 2)),
        ("blocks of 2 do not divide tensor #1 'output', [4, 5]",),
    ),
    "too_few_channels": Rejected(
        with_tensor(moved_blocks(OPERATOR), 0, shape=(1, 2, 3, 7)),
        ("input tensor #0 'input' has shape [1, 2, 3, 7], expected [1, 2, 3, 8]",),
    ),
}
MODELS = depth_models(OPERATOR)
