"""Scales whose ratios are powers of two: every activation's is m * 2^e with one m for the model, so
that every factor from sums to an output is a power of two, and its multiplier exactly 2^30."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tinyml_rules.ir.graph import Quantization
from tinyml_rules.quantizer.plan import Plan
from tinyml_rules.quantizer.scheme import Numbers, Range, Scheme, with_scale

MANTISSAS = tuple(1 + eighth / 8 for eighth in range(8))
"""The values of m that are tried: few bits, so that float32 holds each product with one."""


def in_powers_of_two(plan: Plan, scheme: Scheme, ranges: dict[int, Range], m: float) -> Scheme:
    """The scheme with the next larger such scales, for the ranges of its groups."""
    activations = {
        group: _activation(plan, group, each, ranges[group], m)
        for group, each in scheme.activations.items()
    }
    weights = {}
    for node in plan.weighted:
        places = plan.weights(node)
        assert places is not None
        source, filters = node.inputs[places.source], node.inputs[places.weights]
        assert source is not None and filters is not None
        of_input = mantissa(activations[plan.group[source]].scales[0])
        of_output = mantissa(activations[plan.group[node.outputs[0]]].scales[0])
        weights[filters] = _next(scheme.weights[filters], of_output / of_input)
    return replace(scheme, activations=activations, weights=weights)


def _activation(
    plan: Plan, group: int, quantization: Quantization, ends: Range, m: float
) -> Quantization:
    if group in plan.fixed or group in plan.powers:
        return quantization
    scale = float(_next(np.array(quantization.scales), m)[0])
    if group in plan.symmetric:
        return Quantization((scale,), (0,))
    return with_scale(min(ends[0], 0.0), max(ends[1], 0.0), scale)


def mantissa(scale: float) -> float:
    """The mantissa of a number, from 1 to 2."""
    return 2 * math.frexp(scale)[0]


def _next(scales: Numbers, m: float) -> Numbers:
    """The next numbers m * 2^e that are not below these."""
    exponents = np.ceil(np.log2(scales / m) - 1e-9)
    return np.asarray(m * np.exp2(exponents))
