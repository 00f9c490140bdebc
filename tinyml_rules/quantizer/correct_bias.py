"""Biases that take away what quantization adds to the mean of each output channel.

Node after node, by the integer model's own values: what comes before a node is corrected when its
turn comes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ir.graph import Array, Graph, Node, NodeView
from tinyml_rules.quantizer.calibrate import Values
from tinyml_rules.quantizer.integers import integer_graph
from tinyml_rules.quantizer.judge import quantized_values, real
from tinyml_rules.quantizer.plan import Plan
from tinyml_rules.quantizer.real_constants import as_float32
from tinyml_rules.quantizer.scheme import Numbers, Scheme


def with_corrected_biases(plan: Plan, scheme: Scheme, samples: Sequence[Values]) -> Scheme:
    """The scheme with other biases; `samples` have the values of the float32 model.  A bias of
    several nodes gets the mean of what each of them needs."""
    graph = integer_graph(plan, scheme)
    found = [quantized_values(graph, sample) for sample in samples]
    weighted = {node.outputs[0]: node for node in plan.weighted}
    biases, seen = dict(scheme.biases), Counter[int]()
    for node in graph.nodes:
        original = weighted.get(node.outputs[0])
        if original is not None:
            bias = bias_of(plan, original)
            shift = _shift(plan, graph, original, list(zip(found, samples, strict=True)))
            seen[bias] += 1
            biases[bias] = biases[bias] + shift / seen[bias]
            corrected = integer_graph(plan, replace(scheme, biases=biases)).tensors[bias]
            tensors = (*graph.tensors[:bias], corrected, *graph.tensors[bias + 1 :])
            graph = replace(graph, tensors=tensors)
        for values in found:
            run_node(plan, graph, node, values)
    return replace(scheme, biases=biases)


def run_node(plan: Plan, graph: Graph, node: Node, values: dict[int, Array]) -> None:
    """Put what one node computes to the values."""
    results = plan.operators[node.op].evaluate(NodeView(graph, node), values)
    values.update(zip(node.outputs, results, strict=False))


def bias_of(plan: Plan, node: Node) -> int:
    """The tensor of the bias of a weighted sum."""
    places = plan.weights(node)
    assert places is not None
    bias = node.inputs[places.bias]
    assert bias is not None
    return bias


def _shift(plan: Plan, graph: Graph, node: Node, pairs: Sequence[tuple[Values, Values]]) -> Numbers:
    """Mean error of each channel's sum before it is clamped: the real sum minus the integer one.

    A sum is linear, so its mean over the samples is the sum of their mean: one run is enough.
    """
    plain = replace(node.attrs, activation=Activation.NONE)  # type: ignore[type-var]
    view = NodeView(plan.graph, replace(node, attrs=plain))
    places = plan.weights(node)
    assert places is not None
    source, filters = node.inputs[places.source], node.inputs[places.weights]
    assert source is not None and filters is not None
    tensor = graph.tensors[source]
    wanted = _mean([floats[plan.stands_for.get(source, source)] for _, floats in pairs])
    found = _mean([real(tensor, integers[source]) for integers, _ in pairs])
    expected = _run(plan, view, {source: wanted})
    weights = as_float32(graph.tensors[filters]).data
    assert weights is not None
    got = _run(plan, view, {source: found, filters: weights})
    with np.errstate(invalid="ignore"):
        shift = np.asarray((expected - got).reshape(-1, expected.shape[-1]).mean(axis=0))
    return np.where(np.isfinite(shift), shift, 0.0)


def _mean(arrays: Sequence[Array]) -> Array:
    total = sum((each.astype(np.float64) for each in arrays), np.zeros(arrays[0].shape))
    return np.asarray(total / len(arrays)).astype(np.float32)


def _run(plan: Plan, view: NodeView, values: Values) -> Numbers:
    (result,) = plan.operators[view.node.op].evaluate(view, values)
    return result.astype(np.float64)
