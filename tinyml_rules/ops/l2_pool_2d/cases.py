"""Cases of L2_POOL_2D: those of all pooling, in real numbers."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.case import Rejected
from tinyml_rules.ops._shared.cases.pooling import pool_models, pooling_cases, pooling_rejected
from tinyml_rules.ops._shared.cases.reals import real_model, real_models

_OPERATOR = "L2_POOL_2D"

CASES = {
    name.removeprefix("real_"): case
    for name, case in pooling_cases(_OPERATOR).items()
    if name.startswith("real_")
}
SAMPLES = ("same", "batches", "whole_image")
"""Geometries of windows."""

REJECTED = {
    name: Rejected(real_model(each.model), each.errors)
    for name, each in pooling_rejected(_OPERATOR).items()
}
MODELS = real_models(pool_models(_OPERATOR))
