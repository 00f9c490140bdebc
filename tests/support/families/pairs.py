"""Nodes of two tensors and more, value by value, with broadcasts; conditions and choices."""

from __future__ import annotations

import math

import numpy as np

from tests.support.families.growing import KNOWN, LARGEST, Growing, Shape
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import OptionValue, TensorSpec
from tinyml_rules.ops._shared.cases.case import typed

FUSED = ("ADD", "SUB", "MUL")
"""With an activation in the options."""


def _broadcast(shape: Shape, other: Shape) -> Shape | None:
    """The common shape, where there is one of a fitting size."""
    try:
        found: Shape = np.broadcast_shapes(shape, other)
    except ValueError:
        return None
    return found if len(found) <= 4 and math.prod(found) <= LARGEST else None


def _second(graph: Growing, source: int) -> int:
    """Any tensor that broadcasts with the source, or a constant that does."""
    shape = graph.shape(source)
    if graph.chance(0.6):
        return graph.choose(graph.others(lambda each: _broadcast(shape, each.shape) is not None))
    kept = [size if graph.chance(0.5) else 1 for size in shape]
    of_constant = graph.choose((shape, shape[-1:], (), (1,), tuple(kept)))
    return graph.constant(graph.activation(of_constant))


def rescaling(graph: Growing, name: str, source: int) -> bool:
    """Every tensor has a quantization of its own."""
    if len(graph.shape(source)) > 4:
        return False
    pair = [source, _second(graph, source)]
    if graph.chance(0.3):
        pair.reverse()
    shape = _broadcast(graph.shape(pair[0]), graph.shape(pair[1]))
    assert shape is not None
    options: dict[str, OptionValue] = {}
    if name in FUSED and graph.chance(0.3):
        options = {"FusedActivationFunction": graph.choose((Activation.RELU, Activation.RELU6))}
    graph.node(name, pair, graph.activation(shape), **options)
    return True


def keeping(graph: Growing, name: str, source: int) -> bool:
    """All tensors have one quantization."""
    if len(graph.shape(source)) > 4:
        return False
    other = graph.requantized(_second(graph, source), like=source)
    shape = _broadcast(graph.shape(source), graph.shape(other))
    assert shape is not None
    graph.node(name, [source, other], graph.activation(shape, like=source))
    return True


def adding_many(graph: Growing, name: str, source: int) -> bool:
    """Two to four of one shape and quantization."""
    operands = [source, *(graph.alike(source) for _ in range(graph.pick(1, 3)))]
    graph.node(name, operands, graph.activation(graph.shape(source)))
    return True


def sloping(graph: Growing, name: str, source: int) -> bool:
    """A slope of each channel."""
    shape = graph.shape(source)
    spec = TensorSpec("", shape[-1:], scales=(1 / 64,), zero_points=(graph.pick(-5, 5),))
    slopes = graph.constant(spec)
    graph.node(name, [source, slopes], graph.activation(shape))
    return True


def comparing(graph: Growing, name: str, source: int) -> bool:
    """A comparison, and what it is for."""
    if len(graph.shape(source)) > 4:
        return False
    pair = [_comparable(graph, each) for each in (source, _second(graph, source))]
    shape = _broadcast(graph.shape(pair[0]), graph.shape(pair[1]))
    assert shape is not None
    _use(graph, graph.node(name, pair, _condition(shape)), source)
    return True


def _comparable(graph: Growing, index: int) -> int:
    """The tensor itself or, behind a QUANTIZE, with a scale below 1, which comparisons ask for."""
    tensor = graph.tensors[index]
    if tensor.scales[0] < 1:
        return index
    return graph.node("QUANTIZE", [index], graph.activation(tensor.shape))


def _condition(shape: Shape) -> TensorSpec:
    return typed("", shape, "bool")


def _use(graph: Growing, condition: int, source: int) -> None:
    """Choose between two tensors by it, where shapes allow; else it is an output."""
    shape = graph.shape(source)
    if graph.shape(condition) == shape and "SELECT_V2" in KNOWN and graph.chance(0.7):
        operands = [condition, source, graph.alike(source)]
        graph.node("SELECT_V2", operands, graph.activation(shape, like=source))


def _compared(graph: Growing, source: int) -> int | None:
    """A condition on each value of the source."""
    names = sorted({"LESS", "EQUAL", "GREATER"} & KNOWN)
    if not names or len(graph.shape(source)) > 4:
        return None
    bound = graph.constant(graph.activation((1,)))
    pair = [_comparable(graph, source), bound]
    return graph.node(graph.choose(names), pair, _condition(graph.shape(source)))


def choosing(graph: Growing, _name: str, source: int) -> bool:
    """SELECT_V2 by a condition of its own."""
    condition = _compared(graph, source)
    if condition is None:
        return False
    shape = graph.shape(source)
    operands = [condition, source, graph.alike(source)]
    graph.node("SELECT_V2", operands, graph.activation(shape, like=source))
    return True


def combining(graph: Growing, name: str, source: int) -> bool:
    """One condition or two, and what they are for."""
    conditions = [_compared(graph, source) for _ in range(1 if name == "LOGICAL_NOT" else 2)]
    if None in conditions:
        return False
    operands = [each for each in conditions if each is not None]
    _use(graph, graph.node(name, operands, _condition(graph.shape(source))), source)
    return True
