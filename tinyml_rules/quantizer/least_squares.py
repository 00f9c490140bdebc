"""Ranges and weights of least squared error: what is cut off at the ends against the size of all
steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Quantization
from tinyml_rules.quantizer.calibrate import LEAST_REAL, Values
from tinyml_rules.quantizer.plan import Plan
from tinyml_rules.quantizer.ranges import channels_first
from tinyml_rules.quantizer.scheme import (
    Numbers,
    Scheme,
    asymmetric,
    nearest,
    symmetric,
    with_scale,
)

SHARES = (0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.5)
"""Shares of a range that are tried at either end."""
CHANNEL_SHARES = (0.975, 0.95, 0.925, 0.9, 0.85, 0.8, 0.7)
"""Shares of the scale of an output channel that are tried."""
LEAST_GAIN = 0.999
"""Factor by which another range has to reduce the squared error: rounding in the last bit must not
decide."""
MOST_VALUES = 2**17
"""Most values of a group by which its range is chosen, at equal distances."""

Candidates = Callable[[Quantization, float, float], Sequence[Quantization]]
"""Other quantizations than the given one, for values between two numbers."""


def narrower(quantization: Quantization, low: float, high: float) -> Sequence[Quantization]:
    """Ranges with either end, or both, nearer to 0."""
    if quantization.zero_points == (0,) and low < 0:
        return [symmetric(low * share, high * share) for share in SHARES]
    ends = [(low * share, high) for share in SHARES if low] if high else []
    ends += [(low, high * share) for share in SHARES if high]
    ends += [(low * share, high * share) for share in SHARES if low]
    return [asymmetric(*each) for each in ends]


def half(quantization: Quantization, low: float, high: float) -> Sequence[Quantization]:
    """Half the scale, so that a power of two stays one, with the range at either end."""
    scale = quantization.scales[0] / 2
    length = scale * (INT8_MAX - INT8_MIN)
    ends = [(max(low, -length), min(high, length + max(low, -length)))]
    ends += [(max(low, high - length), high)] if high < length else []
    return [with_scale(min(least, 0.0), max(most, 0.0), scale) for least, most in ends]


def with_best_ranges(
    plan: Plan, scheme: Scheme, samples: Sequence[Values], candidates: Candidates
) -> Scheme:
    """The scheme with the range of least squared error for each group of int8 that is free; the
    steps of int16 are small enough."""
    found = dict(scheme.activations)
    for group, usual in scheme.activations.items():
        values = _values(plan, group, samples)
        is_free = group not in plan.fixed and group not in plan.known and group not in plan.int16
        if is_free and values.size:
            low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
            found[group] = _best(values, usual, candidates(usual, low, high))
    return replace(scheme, activations=found)


def _values(plan: Plan, group: int, samples: Sequence[Values]) -> Numbers:
    """Values of a group's tensors, a sample of them if there are many."""
    parts: list[Numbers] = []
    for index in plan.members(group):
        tensor = plan.graph.tensors[index]
        held = [tensor.data] if tensor.data is not None else [each.get(index) for each in samples]
        if tensor.dtype is DType.FLOAT32:
            parts += [each.reshape(-1).astype(np.float64) for each in held if each is not None]
    values = np.concatenate(parts) if parts else np.zeros(0)
    values = values[values > LEAST_REAL]
    return values[:: max(len(values) // MOST_VALUES, 1)]


def _best(values: Numbers, usual: Quantization, candidates: Sequence[Quantization]) -> Quantization:
    least, best = _squares(values, usual) * LEAST_GAIN, usual
    for each in candidates:
        error = _squares(values, each)
        if error < least:
            least, best = error, each
    return best


def _squares(values: Numbers, quantization: Quantization) -> float:
    (scale,), (zero_point,) = quantization.scales, quantization.zero_points
    integers = np.clip(np.rint(values / scale) + zero_point, INT8_MIN, INT8_MAX) - zero_point
    return float(np.square(values - integers * scale).sum())


def with_best_weights(plan: Plan, scheme: Scheme, shares: Sequence[float]) -> Scheme:
    """The scheme with the scale of least squared error for each output channel of weights."""
    found: Mapping[int, Numbers] = {
        index: _best_scales(channels_first(plan, index), scales, shares)
        for index, scales in scheme.weights.items()
    }
    return replace(scheme, weights=found)


def _best_scales(rows: Numbers, scales: Numbers, shares: Sequence[float]) -> Numbers:
    best, least = scales, _row_squares(rows, scales) * LEAST_GAIN
    for share in shares:
        tried = (scales * share).astype(np.float32).astype(np.float64)
        error = _row_squares(rows, tried)
        best = np.where(error < least, tried, best)
        least = np.minimum(error, least)
    return best


def _row_squares(rows: Numbers, scales: Numbers) -> Numbers:
    return np.asarray(np.square(rows - nearest(rows, scales) * scales[:, np.newaxis]).sum(axis=1))
