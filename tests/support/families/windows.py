"""Nodes whose rows come from rows: convolutions, pools, and images of another size."""

from __future__ import annotations

import math

from tests.support.families.axes import activation, weights
from tests.support.families.growing import LARGEST, Growing, Shape
from tinyml_rules.model_file.writer import OPTIONAL, OptionValue
from tinyml_rules.ops._shared.spatial import Padding, Sliding

MOST_CHANNELS = 6
Pair = tuple[int, int]


def _window(
    graph: Growing, image: Shape, *, most_dilation: int
) -> tuple[Pair, Pair, dict[str, OptionValue]]:
    """Sizes of a window that fits, sizes of the output, and the options."""
    padding = graph.choose(tuple(Padding))
    windows, sizes = [], []
    for size in image[1:3]:
        window = Sliding(graph.pick(1, 3), graph.pick(1, 2), graph.pick(1, most_dilation))
        if window.output_size(size, padding) < 1:
            window = Sliding(1, window.stride, 1)
        windows.append(window)
        sizes.append(window.output_size(size, padding))
    vertical, horizontal = windows
    options: dict[str, OptionValue] = {
        "Padding": padding,
        "StrideH": vertical.stride,
        "StrideW": horizontal.stride,
        "FusedActivationFunction": activation(graph),
    }
    if most_dilation > 1:
        options |= {"DilationHFactor": vertical.dilation, "DilationWFactor": horizontal.dilation}
    return (vertical.size, horizontal.size), (sizes[0], sizes[1]), options


def convolution(graph: Growing, name: str, source: int) -> bool:
    """CONV_2D and DEPTHWISE_CONV_2D."""
    image = graph.shape(source := graph.image(source))
    window, sizes, options = _window(graph, image, most_dilation=2)
    channels = image[3]
    if name == "CONV_2D":
        outputs, terms = graph.pick(1, MOST_CHANNELS), math.prod(window) * channels
        shape, axis = (outputs, *window, channels), 0
    else:
        factor = graph.pick(1, 2) if channels <= MOST_CHANNELS else 1
        outputs, terms = channels * factor, math.prod(window)
        shape, axis = (1, *window, outputs), 3
        options["DepthMultiplier"] = factor
    if outputs > 16 or image[0] * math.prod(sizes) * outputs > LARGEST:
        return False
    result = graph.activation((image[0], *sizes, outputs))
    operands = weights(graph, shape, source=source, result=result, axis=axis, terms=terms)
    # TFLM crashes on a depthwise bias that is named as left out; it may be missing altogether
    present = [each for each in operands if each != OPTIONAL]
    graph.node(name, [source, *present], result, **options)
    return True


def pool(graph: Growing, name: str, source: int) -> bool:
    """AVERAGE_POOL_2D and MAX_POOL_2D."""
    image = graph.shape(source := graph.image(source))
    window, sizes, options = _window(graph, image, most_dilation=1)
    options |= {"FilterHeight": window[0], "FilterWidth": window[1]}
    result = graph.activation((image[0], *sizes, image[3]), like=source)
    graph.node(name, [source], result, **options)
    return True


def transposed(graph: Growing, name: str, source: int) -> bool:
    """TRANSPOSE_CONV by a stride of 2 or 1, with SAME padding."""
    image = graph.shape(source := graph.image(source))
    stride, outputs = graph.pick(1, 2), graph.pick(1, 4)
    window = graph.pick(stride, 3)
    shape = (image[0], image[1] * stride, image[2] * stride, outputs)
    if math.prod(shape) > LARGEST:
        return False
    result, terms = graph.activation(shape), window * window * image[3]
    matrix, bias = weights(
        graph,
        (outputs, window, window, image[3]),
        source=source,
        result=result,
        axis=0,
        terms=terms,
    )
    operands = [graph.numbers(shape), matrix, source, *([bias] if bias != OPTIONAL else [])]
    graph.node(name, operands, result, Padding=Padding.SAME, StrideH=stride, StrideW=stride)
    return True


def resizing(graph: Growing, name: str, source: int) -> bool:
    """To a larger or a smaller image."""
    batches, _, _, channels = graph.shape(source := graph.image(source))
    height, width = graph.pick(1, 7), graph.pick(1, 7)
    shape = (batches, height, width, channels)
    if math.prod(shape) > LARGEST:
        return False
    how = graph.pick(0, 2)
    result = graph.activation(shape, like=source)
    graph.node(
        name,
        [source, graph.numbers([height, width])],
        result,
        AlignCorners=how == 1,
        HalfPixelCenters=how == 2,
    )
    return True
