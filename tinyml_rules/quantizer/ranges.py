"""Ranges of tensors -> scales and zero points, by least and greatest values: the fallback of all
else."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX
from tinyml_rules.ir.graph import NodeView, Quantization
from tinyml_rules.quantizer.calibrate import Recording, ends_of, union
from tinyml_rules.quantizer.given_ranges import ends_of_int8
from tinyml_rules.quantizer.plan import Plan
from tinyml_rules.quantizer.scheme import (
    SCALE_OF_NOTHING,
    Numbers,
    Range,
    Scheme,
    asymmetric,
    in_power_of_two,
    symmetric,
)

MARGIN = math.log(2)
"""The mean of what as many runs again add to an end, in gaps between the outermost two: of values
with an exponential tail the largest of n grows as ln n times the mean gap (Renyi 1953)."""


def by_ends(plan: Plan, ranges: Mapping[int, Range]) -> Scheme:
    """Every range from its least to its greatest value, every channel of weights by its largest."""
    found = ranges_of_groups(plan, ranges)
    activations = {group: _quantization(plan, group, *ends) for group, ends in found.items()}
    weights, biases = {}, {}
    for node in plan.weighted:
        places = plan.weights(node)
        assert places is not None
        view = NodeView(plan.graph, node)
        filters, bias = view.input(places.weights), view.optional_input(places.bias)
        weights[filters.index] = scales_of_weights(channels_first(plan, filters.index))
        if bias is not None:
            assert bias.data is not None
            biases[bias.index] = bias.data.astype(np.float64).reshape(-1)
    for node, matrix in plan.matrices:
        filters = NodeView(plan.graph, node).input(matrix.weights)
        weights[filters.index] = scales_of_weights(channels_first(plan, filters.index))
    return Scheme(activations, weights, biases, {})


def with_margin(recording: Recording) -> dict[int, Range]:
    """The ranges of all tensors, each end beyond the outermost of all runs by MARGIN of what that
    is beyond the second: what the samples did not show.  Runs, because neighbours are alike."""
    runs = [
        union(each.ends for each in recording.samples if each.run == run)
        for run in sorted({each.run for each in recording.samples})
    ]
    return {index: _with_margin([each[index] for each in runs]) for index in runs[0]}


def _with_margin(ends: Sequence[Range]) -> Range:
    lows, highs = sorted(low for low, _ in ends), sorted(high for _, high in ends)
    if len(ends) < 2:
        return lows[0], highs[0]
    low = lows[0] - MARGIN * (lows[1] - lows[0])
    return low, highs[-1] + MARGIN * (highs[-1] - highs[-2])


def _quantization(plan: Plan, group: int, low: float, high: float) -> Quantization:
    if group in plan.fixed or group in plan.known:
        return plan.fixed.get(group) or plan.known[group]
    if group in plan.powers:
        return in_power_of_two(low, high)
    if group in plan.symmetric:
        return symmetric(low, high, plan.dtype_of_group(group))
    return asymmetric(low, high)


def ranges_of_groups(plan: Plan, ranges: Mapping[int, Range]) -> dict[int, Range]:
    """From the least to the greatest value of all tensors of each group, constants included, or as
    the file says; a tensor without values, an unused input, has the range 0."""
    found: dict[int, Range] = {}
    for index, group in plan.group.items():
        tensor = plan.graph.tensors[index]
        low, high = ranges.get(plan.stands_for.get(index, index), (0.0, 0.0))
        if index in plan.given:
            low, high = ends_of_int8(plan.given[index])
        if tensor.data is not None:
            low, high = ends_of(tensor.data)
        least, most = found.get(group, (0.0, 0.0))
        found[group] = min(least, low), max(most, high)
    return found


def channels_first(plan: Plan, index: int) -> Numbers:
    """The weights of a tensor in float64, a row for each scale: an output channel, or all."""
    data = plan.graph.tensors[index].data
    assert data is not None
    axis = axis_of(plan, index)
    rows = data[np.newaxis] if axis is None else np.moveaxis(data, axis, 0)
    return rows.reshape(len(rows), -1).astype(np.float64)


def axis_of(plan: Plan, index: int) -> int | None:
    """The axis of the weights that is the output channels; None where all have one scale."""
    for node in plan.weighted:
        places = plan.weights(node)
        if places is not None and node.inputs[places.weights] == index:
            return places.axis
    return None


def scales_of_weights(rows: Numbers) -> Numbers:
    """A float32 scale for each row; a channel of zeros has the largest of the others'."""
    most = np.abs(rows).max(axis=1, initial=0.0)
    instead = most.max(initial=0.0) or SCALE_OF_NOTHING * INT8_MAX
    scales = np.where(most > 0, most, instead) / INT8_MAX
    return np.maximum(scales, np.finfo(np.float32).tiny).astype(np.float32).astype(np.float64)
