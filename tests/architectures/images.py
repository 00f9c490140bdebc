"""Networks on images: classifiers, a segmentation and a detector."""

from __future__ import annotations

from dataclasses import replace

from tests.architectures.network import LINEAR, SIGMOID, Kernel, Network
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ops._shared.cases.case import Case
from tinyml_rules.ops._shared.spatial import Padding

STEM = Kernel(size=(3, 3), stride=2)
SQUARE = Kernel(size=(3, 3))
JOINED = replace(LINEAR, result=(1 / 16, 0))
"""For what CONCATENATION puts beside something else."""


def _classified(net: Network, image: int, *, sharpness: float = 0.3) -> Case:
    """The end of most networks; the scores are multiplied so that shares are neither 0 nor 1."""
    vector = net.mean(image, 1, 2, keeps=False)
    scores = net.pair("MUL", net.dense(vector, 10), net.number(sharpness))
    return net.case(net.shares(scores))


def _inverted(net: Network, source: int, outputs: int, *, size: int = 3, stride: int = 1) -> int:
    """Expand, filter, project; with a short cut where shapes allow."""
    wide = net.conv(source, 4 * net.shape(source)[3])
    filtered = net.depthwise(wide, Kernel(size=(size, size), stride=stride))
    narrow = net.conv(filtered, outputs, LINEAR)
    is_same = net.shape(narrow) == net.shape(source)
    return net.pair("ADD", source, narrow) if is_same else narrow


def mobilenet_v2() -> Case:
    """Inverted residual blocks of 3x3."""
    net = Network(1, 24, 24, 3)
    current = net.conv(net.source, 8, STEM)
    for outputs, stride in ((8, 1), (8, 1), (12, 2), (12, 1), (16, 2)):
        current = _inverted(net, current, outputs, stride=stride)
    return _classified(net, net.conv(current, 32))


def efficientnet_lite() -> Case:
    """The same with windows of 5x5 too, ended by a pool of the whole image."""
    net = Network(1, 24, 24, 3, seed=2)
    current = net.conv(net.source, 8, STEM)
    for outputs, size, stride in ((8, 3, 1), (12, 5, 2), (12, 5, 1), (16, 5, 2), (16, 5, 1)):
        current = _inverted(net, current, outputs, size=size, stride=stride)
    image = net.conv(current, 32)
    _, height, width, channels = net.shape(image)
    vector = net.apply(
        "AVERAGE_POOL_2D",
        [image],
        (1, 1, 1, channels),
        like=image,
        Padding=Padding.VALID,
        StrideH=height,
        StrideW=width,
        FilterHeight=height,
        FilterWidth=width,
    )
    scores = net.dense(net.view(vector, (1, channels)), 10)
    return net.case(net.shares(scores))


def _hard_swish(net: Network, source: int) -> int:
    return net.map("HARD_SWISH", source)


def _excited(net: Network, source: int) -> int:
    """Squeeze and excite: each channel by a hard sigmoid of all their means."""
    channels = net.shape(source)[3]
    few = net.conv(
        net.mean(source, 1, 2), channels // 2, replace(LINEAR, activation=Activation.RELU)
    )
    gate = net.pair("ADD", net.conv(few, channels, LINEAR), net.number(3.0))
    gate = net.apply("RELU6", [gate], net.shape(gate), like=gate)
    return net.pair("MUL", source, net.pair("MUL", gate, net.number(1 / 6)))


def mobilenet_v3() -> Case:
    """Hard swish, squeeze and excite."""
    net = Network(1, 24, 24, 3, seed=3)
    current = _hard_swish(net, net.conv(net.source, 8, replace(STEM, activation=Activation.NONE)))
    for outputs, size, stride in ((8, 3, 2), (8, 5, 1), (12, 5, 2)):
        wide = _hard_swish(net, net.conv(current, 16, LINEAR))
        window = replace(LINEAR, size=(size, size), stride=stride)
        filtered = _hard_swish(net, net.depthwise(wide, window))
        narrow = net.conv(_excited(net, filtered), outputs, LINEAR)
        is_same = net.shape(narrow) == net.shape(current)
        current = net.pair("ADD", current, narrow) if is_same else narrow
    return _classified(net, _hard_swish(net, net.conv(current, 32, LINEAR)), sharpness=8.0)


def unet() -> Case:
    """Down twice, up by TRANSPOSE_CONV and by RESIZE_BILINEAR, each beside what went down."""
    net = Network(1, 16, 16, 3, seed=4)
    first = net.conv(net.conv(net.source, 6, SQUARE), 6, SQUARE)
    second = net.conv(net.pooled(first, size=2, stride=2), 8, SQUARE)
    bottom = net.conv(net.pooled(second, size=2, stride=2), 12, SQUARE)
    up = net.joined(net.upsampled(bottom, 8), second)
    up = net.conv(up, 8, SQUARE)
    size = net.graph.numbers([16, 16])
    large = net.apply("RESIZE_BILINEAR", [up, size], (1, 16, 16, 8), like=up, HalfPixelCenters=True)
    last = net.conv(net.joined(large, first), 6, SQUARE)
    mask = net.conv(last, 1, LINEAR)
    return net.case(net.map("LOGISTIC", mask, SIGMOID))


def _halved(net: Network, source: int, outputs: int) -> int:
    """A part of the channels goes around the convolutions."""
    _, kept = net.halves(source)
    first = net.conv(kept, outputs // 2, SQUARE)
    second = net.conv(first, outputs // 2, SQUARE)
    return net.joined(source, net.conv(net.joined(second, first), outputs))


def _head(net: Network, image: int) -> int:
    """Boxes and classes of an image, a row for each of its cells."""
    _, height, width, _ = net.shape(image)
    boxes = net.view(net.conv(image, 4, JOINED), (1, height * width, 4))
    classes = net.view(net.conv(image, 3, JOINED), (1, height * width, 3))
    return net.joined(boxes, classes)


def yolo() -> Case:
    """Split stages, pools beside each other, nearest upsampling, two heads put together."""
    net = Network(1, 32, 32, 3, seed=5)
    fine = _halved(net, net.conv(net.conv(net.source, 8, STEM), 8, STEM), 8)
    coarse = _halved(net, net.conv(fine, 12, STEM), 12)
    pools = [net.pooled(coarse, size=size, stride=1) for size in (3, 5)]
    coarse = net.conv(net.joined(coarse, *pools), 12)
    _, height, width, channels = net.shape(coarse)
    shape = (1, 2 * height, 2 * width, channels)
    size = net.graph.numbers(shape[1:3])
    large = net.apply("RESIZE_NEAREST_NEIGHBOR", [coarse, size], shape, like=coarse)
    rows = net.joined(
        _head(net, net.conv(net.joined(large, fine), 12, SQUARE)), _head(net, coarse), axis=1
    )
    return net.case(net.map("LOGISTIC", rows, SIGMOID))


def shufflenet() -> Case:
    """Two groups of channels, one of them filtered, then mixed."""
    net = Network(1, 16, 16, 3, seed=6)
    current = net.conv(net.source, 12, STEM)
    for _ in range(3):
        kept, worked = net.halves(current)
        worked = net.depthwise(net.conv(worked, 6), replace(SQUARE, activation=Activation.NONE))
        current = _shuffled(net, net.joined(kept, net.conv(worked, 6)))
    return _classified(net, net.conv(current, 16))


def _shuffled(net: Network, image: int) -> int:
    """The channels of two groups by turns."""
    batches, height, width, channels = net.shape(image)
    groups = net.view(image, (batches, height, width, 2, channels // 2))
    return net.view(net.turned(groups, (0, 1, 2, 4, 3)), (batches, height, width, channels))
