"""No value of any operator lies outside the interval that is worked out for it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.support.operator_cases import OPERATORS, cases_of, graph_of
from tests.support.stages import checked
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ir.graph import Array, Graph, Tensor
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import Case
from tinyml_rules.ops._shared.cases.pairs import pair
from tinyml_rules.ops._shared.cases.pooling import pool
from tinyml_rules.ops._shared.interpreter import EndedEarlyError, first_values, run_graph
from tinyml_rules.ops._shared.interval import NARROW, Intervals
from tinyml_rules.ops.add.cases import add
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.ranges.ranges import ranges

DRAWN = 6
"""Inputs of a case: two of ends alone, all low or all high, and random ones."""


def drawn_input(tensor: Tensor, number: int, generator: np.random.Generator) -> Array:
    """All of one end, each of either end, or random."""
    if tensor.dtype not in NARROW:
        values = generator.integers(-1, 2, tensor.shape)
        return np.asarray(values).astype(tensor.dtype.numpy)
    low, high = (0, 1) if tensor.dtype == "bool" else tensor.dtype.limits
    ends = {0: low, 1: high}
    if number in ends:
        found = np.full(tensor.shape, ends[number])
    elif number % 2:
        found = generator.choice((low, high), tensor.shape)
    else:
        found = generator.integers(low, high + 1, tensor.shape)
    return np.asarray(found).astype(tensor.dtype.numpy)


def inputs_of(case: Case, graph: Graph) -> list[list[Array]]:
    """The samples of the case that are of the graph's own types, and drawn ones."""
    tensors = [graph.tensors[index] for index in graph.inputs]
    generator = np.random.default_rng(1)
    count = 0 if graph.others else DRAWN  # a loop of any input may not end
    found = [[drawn_input(each, number, generator) for each in tensors] for number in range(count)]
    if all(s.dtype == t.dtype.numpy for s, t in zip(case.samples, tensors, strict=True)):
        found += [list(sample) for sample in zip(*case.samples, strict=True)][:DRAWN]
    return found


def outside(graph: Graph, intervals: Intervals, inputs: list[Array]) -> list[int]:
    """The tensors with a value beyond their interval."""
    values = dict(first_values(graph))
    values.update(zip(graph.inputs, inputs, strict=True))
    try:
        run_graph(graph, builtin_operators(), values)
    except EndedEarlyError:
        return []
    return [
        index
        for index, interval in intervals.items()
        if index in values
        and not np.all(
            np.less_equal(interval.low, values[index]) & np.less_equal(values[index], interval.high)
        )
    ]


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_case(operator: str) -> None:
    """Random values and the ends of the type, through every case of every operator."""
    wrong = []
    for name, case in cases_of(operator).items():
        graph = graph_of(case, name=name)
        intervals = ranges(graph, builtin_operators())
        if any(outside(graph, intervals, inputs) for inputs in inputs_of(case, graph)):
            wrong.append(name)
    assert wrong == []


def ends_of_corners(graph: Graph) -> tuple[Array, Array]:
    """The least and the greatest outputs of inputs that have ends of int8 alone."""
    tensors = [graph.tensors[index] for index in graph.inputs]
    found = []
    for corner in product((-128, 127), repeat=sum(each.count for each in tensors)):
        parts = np.split(np.array(corner, np.int8), np.cumsum([each.count for each in tensors]))
        values = {t.index: part.reshape(t.shape) for t, part in zip(tensors, parts, strict=False)}
        found.append(run_graph(graph, builtin_operators(), {**values})[0])
    return np.min(found, axis=0), np.max(found, axis=0)


CORNERS: dict[str, ModelSpec] = {
    "window_with_edges": conv((1, 3, 3, 1), outputs=3),
    "window_clamped": conv((1, 3, 3, 1), outputs=3, activation=Activation.RELU6),
    "zero_point_at_an_end": conv((1, 3, 3, 1), outputs=2, zero_points=(-128, 127)),
    "depthwise_strides": depthwise((1, 4, 2, 1), (3, 3), strides=(2, 1)),
    "vectors": dense((2, 4), (2, 3)),
    "pool": pool("AVERAGE_POOL_2D", (1, 3, 3, 1), (2, 2)),
    "sum": add((1, 4), (1, 4), constants=(False, True)),
    "difference": pair("SUB", "int8", (1, 4), (1, 4)),
}


@pytest.mark.parametrize("name", CORNERS)
def test_ends_are_reached(name: str) -> None:
    """An interval is no larger than it has to be, where the operator rises or falls with every
    input: some input of ends alone gives each of its own ends."""
    graph = checked(CORNERS[name])
    interval = ranges(graph, builtin_operators())[graph.outputs[0]]
    low, high = ends_of_corners(graph)
    assert (interval.low.tolist(), interval.high.tolist()) == (low.tolist(), high.tolist())
