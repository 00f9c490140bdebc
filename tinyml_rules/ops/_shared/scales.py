"""Products and quotients of scales, as the reference computes them that a model is to equal.

TFLM has doubles.  LiteRT has float32 in some operators, each result rounded, and makes a double of
the last one.
"""

from __future__ import annotations

import math

import numpy as np

from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.rounding_reference import RoundingReference


def product(view: NodeView, first: float, second: float) -> float:
    """first * second."""
    if view.reference is RoundingReference.TFLM:
        return first * second
    with np.errstate(over="ignore", under="ignore"):
        found = float(np.float32(first) * np.float32(second))
    return found if math.isfinite(found) else first * second


def quotient(view: NodeView, first: float, second: float) -> float:
    """first / second; in double where float32 has no number for it, as LiteRT has not either."""
    if view.reference is RoundingReference.TFLM:
        return first / second
    with np.errstate(all="ignore"):
        found = float(np.float32(first) / np.float32(second))
    return found if math.isfinite(found) else first / second
