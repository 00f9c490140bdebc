"""Products and quotients of scales, computed as in the reference (`Profile`).

TFLM uses double. LiteRT uses float32 in some operators, rounds each result, and converts the last
one to double.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

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


def factors_of_sums(view: NodeView, scales: Sequence[float]) -> list[float]:
    """From the scales of sums, the input's times those of the weights, to the output's: in double,
    but for the product in LiteRT's kernels for uint8 (`GetQuantizedConvolutionMultipler`)."""
    before, after = view["input"].scale, view.output.scale
    if view.is_of_uint8:
        return [product(view, before, scale) / after for scale in scales]
    return [before * scale / after for scale in scales]


def quotient(view: NodeView, first: float, second: float) -> float:
    """first / second; in double if float32 cannot represent it, which LiteRT cannot handle
    either."""
    if view.reference is RoundingReference.TFLM:
        return first / second
    with np.errstate(all="ignore"):
        found = float(np.float32(first) / np.float32(second))
    return found if math.isfinite(found) else first / second
