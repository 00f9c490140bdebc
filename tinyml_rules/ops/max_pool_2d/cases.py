"""Cases of MAX_POOL_2D, all of them shared with AVERAGE_POOL_2D."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.pooling import pool_models, pooling_cases, pooling_rejected

CASES = pooling_cases("MAX_POOL_2D")
SAMPLES = ("same", "batches", "eight_channels", "many_channels")
"""Cases between which every kernel is used."""

REJECTED = pooling_rejected("MAX_POOL_2D")

MODELS = pool_models("MAX_POOL_2D")
