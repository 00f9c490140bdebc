"""Networks as a training leaves them that drove channels to zero: rows of weights that are all 0,
sums that lie beyond a clamp whatever the input is, and channels that nobody uses."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tests.support.families import axes, maps, movers, pairs, parts, windows
from tests.support.families.growing import Builder, Growing, Shape
from tinyml_rules.model_file.writer import (
    OPTIONAL,
    ModelSpec,
    OperatorSpec,
    OptionValue,
    TensorSpec,
)
from tinyml_rules.ops._shared.spatial import Padding

OUTPUT_AXES: Mapping[str, int] = {"CONV_2D": 0, "DEPTHWISE_CONV_2D": 3, "FULLY_CONNECTED": 0}
"""Of the weights of each operator that has some."""
SATURATING = 2**24
"""A bias that no product changes."""

BUILDERS: tuple[tuple[str, Builder], ...] = (
    *3 * (("CONV_2D", windows.convolution),),
    *2 * (("DEPTHWISE_CONV_2D", windows.convolution),),
    *2 * (("FULLY_CONNECTED", axes.dense),),
    ("AVERAGE_POOL_2D", windows.pool),
    ("MAX_POOL_2D", windows.pool),
    ("RELU", maps.rescaling),
    ("TANH", maps.fixed),
    ("RESHAPE", movers.reshaping),
    ("PAD", movers.padding),
    ("ADD", pairs.rescaling),
    ("CONCATENATION", parts.concatenating),
    ("MEAN", axes.summing),
)


def dead_network(seed: tuple[int, ...], *, node_count: int) -> ModelSpec:
    """The network with this number, of an image; most nodes read the last tensor."""
    graph = Growing(np.random.default_rng(seed))
    graph.input(graph.activation((1, graph.pick(3, 5), graph.pick(3, 5), graph.pick(1, 3))))
    while len(graph.operators) < node_count:
        name, build = graph.choose(BUILDERS)
        source = graph.values[-1] if graph.chance(0.8) else graph.choose(graph.values)
        build(graph, name, source)
    return deadened(graph.model(), graph.generator)


def deadened(model: ModelSpec, generator: np.random.Generator) -> ModelSpec:
    """The model with dead rows and columns in many of its weights."""
    tensors = list(model.tensors)
    for operator in model.operators:
        is_weighted = operator.name in OUTPUT_AXES and _has_constants(tensors, operator)
        if is_weighted and generator.random() < 0.8:
            _deaden(tensors, operator, generator)
    return replace(model, tensors=tuple(tensors))


def _has_constants(tensors: list[TensorSpec], operator: OperatorSpec) -> bool:
    """Whether weights and bias are known."""
    return all(index < 0 or tensors[index].data is not None for index in operator.inputs[1:])


def _deaden(
    tensors: list[TensorSpec], operator: OperatorSpec, generator: np.random.Generator
) -> None:
    axis = OUTPUT_AXES[operator.name]
    weights = tensors[operator.inputs[1]]
    data = np.moveaxis(_array(weights).copy(), axis, 0)
    rows = generator.random(len(data)) < generator.choice((0.3, 0.5, 1.0), p=(0.6, 0.35, 0.05))
    if operator.name != "DEPTHWISE_CONV_2D":
        data[..., generator.random(data.shape[-1]) < 0.35] = 0
    data[rows] = 0
    if len(operator.inputs) > 2 and operator.inputs[2] >= 0:
        bias = tensors[operator.inputs[2]]
        numbers = _array(bias).copy()
        kinds = generator.integers(0, 3, len(numbers))
        numbers[rows & (kinds == 0)] = 0
        is_saturated = generator.random(len(numbers)) < 0.15
        numbers[is_saturated] = generator.choice((-SATURATING, SATURATING))
        tensors[operator.inputs[2]] = replace(bias, data=numbers)
    tensors[operator.inputs[1]] = replace(weights, data=np.moveaxis(data, 0, axis))


def _array(tensor: TensorSpec) -> npt.NDArray[np.generic]:
    assert isinstance(tensor.data, np.ndarray)
    return tensor.data


def convolutions(*, channels: int, dead: float, depth: int = 2, size: int = 16) -> ModelSpec:
    """A network for images: convolutions, a depthwise one and one of pixels, the mean of the image
    and a layer of four outputs; so large a part of the channels is dead, a sixteenth of them at
    another value than the zero point."""
    graph = Growing(np.random.default_rng(3))
    last = graph.input(graph.quantized((1, size, size, 1), 0.02, 0))
    last = _layer(graph, "CONV_2D", last, (channels, 3, 3, 1), stride=2, dead=dead)
    for _ in range(depth):
        last = _layer(graph, "CONV_2D", last, (channels, 3, 3, channels), dead=dead)
    last = _layer(graph, "DEPTHWISE_CONV_2D", last, (1, 3, 3, channels))
    last = _layer(graph, "CONV_2D", last, (channels, 1, 1, channels), dead=dead)
    _, height, width, _ = graph.shape(last)
    window = {"FilterHeight": height, "FilterWidth": width, "StrideH": 1, "StrideW": 1}
    pooled = graph.activation((1, 1, 1, channels), like=last)
    last = graph.node("AVERAGE_POOL_2D", [last], pooled, Padding=Padding.VALID, **window)
    _layer(graph, "FULLY_CONNECTED", last, (4, channels))
    return graph.model()


def _layer(
    graph: Growing, name: str, source: int, shape: Shape, *, stride: int = 1, dead: float = 0
) -> int:
    """One with weights, the first of its rows dead."""
    axis, before = OUTPUT_AXES[name], graph.shape(source)
    outputs, is_dense = shape[axis], name == "FULLY_CONNECTED"
    sizes = () if is_dense else tuple(-(-each // stride) for each in before[1:3])
    result = graph.quantized((1, *sizes, outputs), 0.02, 0 if is_dense else -100)
    terms = math.prod(shape) // outputs
    constants = axes.weights(graph, shape, source=source, result=result, axis=axis, terms=terms)
    inputs = [source, *(each for each in constants if each != OPTIONAL)]
    for index in inputs[1:]:
        tensor = graph.tensors[index]
        graph.tensors[index] = replace(tensor, scales=tensor.scales[:1], zero_points=(0,))
    rows = np.arange(round(dead * outputs))
    np.moveaxis(_array(graph.tensors[inputs[1]]), axis, 0)[rows] = 0
    if len(inputs) > 2:
        _array(graph.tensors[inputs[2]])[rows] = np.where(rows % 16, 0, SATURATING)
    options: dict[str, OptionValue] = {}
    if not is_dense:
        options = {"Padding": Padding.SAME, "StrideH": stride, "StrideW": stride}
    if name == "DEPTHWISE_CONV_2D":
        options["DepthMultiplier"] = 1
    return graph.node(name, inputs, result, **options)
