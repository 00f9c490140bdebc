"""Weights rounded one after the other: the order of what they see, and what it gains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import tflite

from tests.quantizer.float_models import SAME, STRIDES, one, real, reals
from tests.quantizer.runs import OPERATORS, drawn, graph_of
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.quantizer.calibrate import run
from tinyml_rules.quantizer.groups import plan_of
from tinyml_rules.quantizer.plan import NO_INT16
from tinyml_rules.quantizer.ranges import by_ends, channels_first
from tinyml_rules.quantizer.round_in_order import rounded_in_order

VALID = tflite.Padding.VALID
IMAGE = real("x", (1, 9, 7, 3))
SUMS: Mapping[str, ModelSpec] = {
    "groups": one(
        "CONV_2D",
        [real("x", (1, 6, 5, 4)), reals("w", (6, 3, 2, 2)), reals("b", (6,), scale=0)],
        (1, 2, 4, 6),
        {"Padding": VALID, "StrideW": 1, "StrideH": 2},
    ),
    "dilation": one(
        "CONV_2D",
        [IMAGE, reals("w", (4, 2, 3, 3)), reals("b", (4,), scale=0)],
        (1, 9, 7, 4),
        {"Padding": SAME, "DilationHFactor": 3, "DilationWFactor": 2, **STRIDES},
    ),
    "vectors": one(
        "FULLY_CONNECTED",
        [real("x", (3, 8)), reals("w", (5, 8)), reals("b", (5,), scale=0)],
        (3, 5),
    ),
}
"""Weighted sums whose order of inputs could be mistaken."""


@pytest.mark.parametrize("name", SUMS)
def test_order_of_inputs(name: str) -> None:
    """What an operator says its sums see, times its weights, is its output without bias."""
    graph = graph_of(build_model(SUMS[name]))
    (node,) = graph.nodes
    view, operator = NodeView(graph, node), OPERATORS[node.op]
    assert operator.quantization is not None
    places = operator.quantization.weights
    assert places is not None
    assert places.seen is not None
    values = drawn(SUMS[name], count=1)["x"][0]
    seen = places.seen(view, values.astype(np.float64))
    (expected,) = operator.evaluate(view, {view.input(0).index: values})
    weights = view.input(1).data
    assert weights is not None
    rows = np.moveaxis(weights, places.axis, 0).reshape(expected.shape[-1], -1)
    by_group = rows.reshape(len(seen), -1, rows.shape[1])
    sums = np.concatenate([a @ b.T for a, b in zip(seen, by_group, strict=True)], axis=1)
    assert np.abs(sums - expected.reshape(sums.shape)).max() < 1e-5


def test_rounding_in_order_loses_less() -> None:
    """Of inputs that go together, the errors of the weights cancel: at least 3 dB less error of the
    sums than with the nearest integers in the best of the same scales, of samples that it did not
    see, without any mean; as much as with the nearest where inputs are independent."""
    mixed = np.random.default_rng(1).normal(0, 1, (4, 16))
    assert _gain(lambda some: some[..., :4] @ mixed) > 3
    assert -0.5 < _gain(lambda some: some) < 0.5


def _gain(inputs_of: Any) -> float:
    """In dB."""
    row = real("x", (1, 16))
    spec = one("FULLY_CONNECTED", [row, reals("w", (8, 16)), reals("b", (8,))], (1, 8))
    graph = graph_of(build_model(spec))
    drawn_values = np.random.default_rng(2).normal(0, 1, (400, 1, 16))
    values = inputs_of(drawn_values).astype(np.float32)
    samples = [run(graph, OPERATORS, {graph.inputs[0]: each}, 0) for each in values[:200]]
    plan = plan_of(graph, OPERATORS, frozenset(), NO_INT16)
    scheme = by_ends(plan, dict.fromkeys(plan.group, (-12.0, 12.0)))
    found = rounded_in_order(plan, scheme, graph.nodes, samples, bits=4)
    weights = graph.nodes[0].inputs[1]
    assert weights is not None
    rows, unseen = channels_first(plan, weights), values[200:, 0].astype(np.float64)
    mine = _error(unseen, rows, found.integers, found.scales)
    shares = [share * np.abs(rows).max() / 7 for share in np.linspace(0.5, 1, 11)]
    nearest = (
        _error(unseen, rows, np.clip(np.rint(rows / each), -7, 7), np.array([each]))
        for each in shares
    )
    return float(10 * np.log10(min(nearest) / mine))


def _error(inputs: Any, rows: Any, integers: Any, scales: Any) -> float:
    error = inputs @ (rows - integers * scales[:, np.newaxis]).T
    return float(np.square(error - error.mean(axis=0)).sum())
