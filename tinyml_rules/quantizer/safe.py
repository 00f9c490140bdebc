"""Scales with which no bias and no sum leaves its type, and a kernel has every factor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN, INT32_MAX
from tinyml_rules.errors import Note, Problem, UnsupportedError
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Node, Quantization
from tinyml_rules.ops._shared.constraints import MAX_FACTOR
from tinyml_rules.quantizer.plan import Plan
from tinyml_rules.quantizer.ranges import channels_first
from tinyml_rules.quantizer.scheme import Numbers, Scheme, nearest

MOST_INT16_BIAS = 2.0**45
"""Half of what TFLM's product of a sum and 16 bits has room for."""
MOST_INT16_FACTOR = 2.0**6
"""The same for what a sum is multiplied by."""
MOST_BIAS = 2.0**30
"""Half of int32: the zero point's share of a sum is folded into it."""
MOST_DOUBLINGS = 64
MOST_SCALE = float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False)
class Safe:
    """The scheme, and a note for each node of which it was widened."""

    scheme: Scheme
    notes: tuple[Problem, ...]


def in_int32(plan: Plan, scheme: Scheme) -> Safe:
    """The scheme, with wider weights where sums need it, and a wider output where a factor would
    be too large."""
    weights, notes = dict(scheme.weights), []
    activations = dict(scheme.activations)
    for node in plan.weighted:
        filters, wider, count = _widened(plan, scheme, node)
        if count:
            tensor = plan.graph.tensors[filters]
            what = (
                f"{count} channels of weights tensor {tensor} have a wider scale, so that bias and "
                f"sums stay in {'int64' if node.index in plan.in_int16 else 'int32'}"
            )
            notes.append(Note(plan.graph.where(node), what))
            weights[filters] = wider
        least = _least_output(plan, scheme, node, activations, weights[filters])
        _widen_output(plan, node, activations, least)
    return Safe(replace(scheme, weights=weights, activations=activations), tuple(notes))


def _widened(plan: Plan, scheme: Scheme, node: Node) -> tuple[int, Numbers, int]:
    """The weights' tensor, their scales, and how many of them are not the scheme's: none of weights
    of four bits, whose scales are no finer than those that are safe for eight."""
    places = plan.weights(node)
    assert places is not None
    source, filters, bias = (
        node.inputs[place] for place in (places.source, places.weights, places.bias)
    )
    assert source is not None and filters is not None and bias is not None
    scales = scheme.weights[filters].copy()
    if filters in scheme.int4:
        return filters, scales, 0
    rows, of_input = channels_first(plan, filters), scheme.activations[plan.group[source]]
    for _ in range(MOST_DOUBLINGS):
        of_bias = np.abs(scheme.biases[bias] / (of_input.scales[0] * scales))
        if node.index in plan.in_int16:
            is_beyond = of_bias > MOST_INT16_BIAS
        else:
            is_beyond = _is_beyond(rows, of_bias, scales, of_input)
        if not is_beyond.any():
            break
        scales = np.where(is_beyond, 2 * scales, scales)
    return filters, scales, int((scales != scheme.weights[filters]).sum())


def _is_beyond(rows: Numbers, of_bias: Numbers, scales: Numbers, source: Quantization) -> Numbers:
    """Mask of the output channels whose sums could overflow int32 for some input."""
    (zero_point,) = source.zero_points
    integers = nearest(rows, scales)
    furthest = max(INT8_MAX - zero_point, zero_point - INT8_MIN)
    sums = np.abs(integers).sum(axis=1) * furthest
    return np.asarray((of_bias > MOST_BIAS) | (of_bias + sums > INT32_MAX))


def _least_output(
    plan: Plan,
    scheme: Scheme,
    node: Node,
    activations: Mapping[int, Quantization],
    scales: Numbers,
) -> float:
    """The scale of an output that is too fine for its sums, as is any below it."""
    places = plan.weights(node)
    assert places is not None
    source, filters, bias = (
        node.inputs[place] for place in (places.source, places.weights, places.bias)
    )
    assert source is not None and filters is not None and bias is not None
    of_sums = activations[plan.group[source]].scales[0] * scales
    if node.index not in plan.in_int16:
        return float(of_sums.max()) / MAX_FACTOR
    sums = (
        np.abs(nearest(channels_first(plan, filters), scales)).sum(axis=1) * -DType.INT16.limits[0]
    )
    most = of_sums * sums + np.abs(scheme.biases[bias])
    return max(float(of_sums.max()) / MOST_INT16_FACTOR, float(most.max()) / INT32_MAX)


def _widen_output(
    plan: Plan, node: Node, activations: dict[int, Quantization], least: float
) -> None:
    """Double, in place, the scale of an output while it is too fine for the scales of its sums."""
    group = plan.group[node.outputs[0]]
    found = activations[group]
    while found.scales[0] <= least and group not in plan.fixed:
        found = replace(found, scales=(found.scales[0] * 2,))
    if found.scales[0] > MOST_SCALE:
        tensor = plan.graph.tensors[node.outputs[0]]
        what = f"tensor {tensor} needs a scale of {found.scales[0]:g}, beyond float32"
        raise UnsupportedError.at(plan.graph.where(node), what)
    activations[group] = found
