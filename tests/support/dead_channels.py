"""Networks as a training leaves them that drove channels to zero: rows of weights that are all 0,
sums that lie beyond a clamp whatever the input is, and channels that nobody uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tests.support.families import axes, maps, movers, pairs, parts, windows
from tests.support.families.growing import Builder, Growing
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec

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
        if operator.name in OUTPUT_AXES and generator.random() < 0.8:
            _deaden(tensors, operator, generator)
    return replace(model, tensors=tuple(tensors))


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


def convolutions(*, channels: int, dead: float, depth: int = 3, size: int = 16) -> ModelSpec:
    """A network for images: a convolution, pairs of a depthwise one and one of pixels, the mean of
    the image and a layer of four outputs; so large a part of each layer's channels is dead, half of
    them at another value than the zero point."""
    graph = Growing(np.random.default_rng(3))
    last = graph.input(graph.quantized((1, size, size, 1), 0.02, 0))
    last = _layer(graph, "CONV_2D", last, (channels, 3, 3, 1), stride=2)
    for _ in range(depth):
        last = _layer(graph, "DEPTHWISE_CONV_2D", last, (1, 3, 3, channels))
        last = _layer(graph, "CONV_2D", last, (channels, 1, 1, channels), dead=dead)
    shape = graph.shape(last)
    window = {"FilterHeight": shape[1], "FilterWidth": shape[2], "StrideH": 1, "StrideW": 1}
    pooled = graph.activation((1, 1, 1, channels), like=last)
    last = graph.node("AVERAGE_POOL_2D", [last], pooled, Padding=1, **window)
    _layer(graph, "FULLY_CONNECTED", last, (4, channels))
    return graph.model()


def _layer(
    graph: Growing,
    name: str,
    source: int,
    shape: tuple[int, ...],
    *,
    stride: int = 1,
    dead: float = 0,
) -> int:
    """One with weights, the first of its rows dead."""
    axis, before = OUTPUT_AXES[name], graph.shape(source)
    outputs, is_dense = shape[axis], name == "FULLY_CONNECTED"
    zero_point = 0 if is_dense else -128
    sizes = () if is_dense else tuple(-(-each // stride) for each in before[1:3])
    result = graph.quantized((1, *sizes, outputs), 0.02, zero_point)
    terms = int(np.prod(shape)) // outputs
    matrix, bias = axes.weights(graph, shape, source=source, result=result, axis=axis, terms=terms)
    rows = slice(0, round(dead * outputs))
    data = np.moveaxis(_array(graph.tensors[matrix]), axis, 0)
    data[rows] = 0
    if bias >= 0:
        _array(graph.tensors[bias])[rows] = np.where(np.arange(outputs)[rows] % 2, 0, 2**12)
    options = {} if is_dense else {"Padding": 0, "StrideH": stride, "StrideW": stride}
    if name == "DEPTHWISE_CONV_2D":
        options["DepthMultiplier"] = 1
    inputs = [source, matrix, *([bias] if bias >= 0 else [])]
    return graph.node(name, inputs, result, **options)
