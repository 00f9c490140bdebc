"""Cases of MAX_POOL_2D, nearly all of them shared with AVERAGE_POOL_2D."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.case import random_case
from tinyml_rules.ops._shared.cases.pooling import (
    pool,
    pool_models,
    pooling_cases,
    pooling_rejected,
)
from tinyml_rules.ops._shared.cases.reals import real_models
from tinyml_rules.ops._shared.cases.shorts import in_shorts

CASES = {
    **pooling_cases("MAX_POOL_2D"),
    "five_channels": random_case(pool("MAX_POOL_2D", (1, 5, 6, 5), (3, 2))),
}
SAMPLES = ("same", "real_same", "batches", "five_channels", "eight_channels", "many_channels")
"""Cases between which every kernel is used."""

REJECTED = pooling_rejected("MAX_POOL_2D")

MODELS = (
    pool_models("MAX_POOL_2D")
    | real_models(pool_models("MAX_POOL_2D"))
    | pool_models("MAX_POOL_2D").map(in_shorts)
)
