"""The benchmark set: single layers and small networks, the same numbers every time.

Weights, biases and scales are drawn with a fixed seed; scales are per axis and within a factor of
four, as converters write them.  Each layer is small enough for every target, so that a difference
between two of them is one of the kernels and not of memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tests.support.chained import chained
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec
from tinyml_rules.ops._shared.cases.case import quantized, with_tensor
from tinyml_rules.ops._shared.cases.int16x8 import in_16_bits
from tinyml_rules.ops._shared.cases.pooling import pool
from tinyml_rules.ops._shared.cases.reals import real_model
from tinyml_rules.ops._shared.cases.weighted import INPUT_SCALE, OUTPUT_SCALE, Image, Pair
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.add.cases import add
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.ops.fully_connected.real_cases import real_dense
from tinyml_rules.ops.mul.cases import mul
from tinyml_rules.ops.quantize.cases import requantize
from tinyml_rules.ops.softmax.cases import softmax

_SEED = 14
_SPREAD = 2.0
"""The scale of an output is so many times the middle one, or as many times less, at most."""
_RELU: Mapping[str, Any] = {
    "is_per_axis": False,
    "bias_size": 1000,
    "activation": Activation.RELU,
    "zero_points": (-128, -128),
}
_SIGNED: Mapping[str, Any] = {
    "is_per_axis": False,
    "bias_size": 1000,
    "activation": Activation.NONE,
    "zero_points": (-3, 5),
}
_SIGNED_ZERO = -20
"""The zero point of a sum of two tensors."""


def _per_axis(model: ModelSpec) -> ModelSpec:
    """The layer with a scale of its own for each output."""
    weights, biases = model.tensors[1], model.tensors[2]
    (scale,) = weights.scales
    spread = np.random.default_rng(_SEED).uniform(-1, 1, biases.shape[0])
    scales = tuple(float(each) for each in scale * _SPREAD**spread)
    zero_points = (0,) * len(scales)
    model = with_tensor(model, 1, scales=scales, zero_points=zero_points)
    products = tuple(INPUT_SCALE * each for each in scales)
    return with_tensor(model, 2, scales=products, zero_points=zero_points)


def _conv(image: Image, window: Pair, outputs: int, **more: Any) -> ModelSpec:
    return _per_axis(conv(image, window, outputs=outputs, **{**_RELU, **more}))


def _depthwise(image: Image, window: Pair = (3, 3), **more: Any) -> ModelSpec:
    return _per_axis(depthwise(image, window, **{**_RELU, **more}))


def _dense(inputs: int, outputs: int, **more: Any) -> ModelSpec:
    return dense((1, inputs), (1, outputs), **{**_RELU, **more})


def _in_16_bits(layer: Callable[[], ModelSpec]) -> ModelSpec:
    """The layer with inputs and outputs of int16."""
    return in_16_bits(layer())


def _chain(*layers: ModelSpec) -> ModelSpec:
    """One after the other, each with the quantization of the tensor that it reads."""
    return _quantized_alike(chained(*layers))


def _quantized_alike(model: ModelSpec) -> ModelSpec:
    """The scale of a bias is that of the input by that of the weights."""
    tensors = list(model.tensors)
    for operator in model.operators:
        if len(operator.inputs) != 3:
            continue
        source, weights, biases = (tensors[index] for index in operator.inputs)
        scales = tuple(source.scales[0] * each for each in weights.scales)
        tensors[operator.inputs[2]] = type(biases)(**{**vars(biases), "scales": scales})
    return type(model)(**{**vars(model), "tensors": tuple(tensors)})


def _residual() -> ModelSpec:
    """A convolution, two more around which its result goes, and what tells ten classes apart."""
    body = _chain(
        _conv((1, 12, 12, 3), (3, 3), 16, strides=(2, 2)),
        _conv((1, 6, 6, 16), (3, 3), 16),
        _conv((1, 6, 6, 16), (3, 3), 16, **_SIGNED),
    )
    joined = _sum(body, body.operators[0].outputs[0], Activation.NONE, _SIGNED_ZERO)
    return _chain(joined, *_head((6, 6), 16, scale=2 * OUTPUT_SCALE, zero_point=_SIGNED_ZERO))


def _sum(model: ModelSpec, other: int, activation: Activation, zero_point: int) -> ModelSpec:
    """The model whose output is the sum of the one that it has and of another tensor."""
    (last,), place = model.outputs, len(model.tensors)
    shape = model.tensors[last].shape
    result = quantized("sum", shape, scale=2 * OUTPUT_SCALE, zero_point=zero_point)
    options = {"FusedActivationFunction": activation}
    add_them = OperatorSpec("ADD", (other, last), (place,), options, version=2)
    return replace(
        model,
        tensors=(*model.tensors, result),
        operators=(*model.operators, add_them),
        outputs=(place,),
    )


def _residual_block(model: ModelSpec, outputs: int, stride: int = 1) -> ModelSpec:
    """Two more convolutions around which what they read goes, by one of 1x1 where they make the
    image smaller."""
    (around,) = model.outputs
    batch, height, width, channels = model.tensors[around].shape
    image, small = (batch, height, width, channels), (batch, height // stride, width // stride)
    found = chained(
        model,
        _conv(image, (3, 3), outputs, strides=(stride, stride)),
        _conv((*small, outputs), (3, 3), outputs, **_SIGNED),
    )
    (last,) = found.outputs
    if stride > 1:
        shortcut = _conv(image, (1, 1), outputs, strides=(stride, stride), **_SIGNED)
        found = chained(replace(found, outputs=(around,)), shortcut)
        (around,) = found.outputs
    return _sum(replace(found, outputs=(last,)), around, Activation.RELU, -128)


def _image_classification() -> ModelSpec:
    """The shape of MLPerf Tiny's network for image classification, of images of half the size: a
    convolution of 16 channels, and blocks of two of 16, 32 and 64 around which their input goes."""
    body = _residual_block(_conv((1, 16, 16, 3), (3, 3), 16), 16)
    body = _residual_block(_residual_block(body, 32, 2), 64, 2)
    return _chain(body, *_head((4, 4), 64, scale=2 * OUTPUT_SCALE))


def _head(
    image: Pair, channels: int, *, scale: float = OUTPUT_SCALE, zero_point: int = -128
) -> tuple[ModelSpec, ModelSpec, ModelSpec]:
    """The average over the image, a layer of ten outputs, and their softmax."""
    return (
        _average((1, *image, channels), image, scale=scale, zero_point=zero_point),
        dense((1, 1, 1, channels), (1, 10), input_count=channels, **_SIGNED),
        softmax((1, 10)),
    )


def _average(image: Image, window: Pair, **more: Any) -> ModelSpec:
    how = {"strides": (1, 1), "padding": Padding.VALID, **more}
    return pool("AVERAGE_POOL_2D", image, window, **how)


def _separable() -> ModelSpec:
    """Depthwise convolutions and 1x1 ones by turns, as in keyword spotting."""
    return _chain(
        _conv((1, 20, 10, 1), (10, 4), 16, strides=(2, 2)),
        _depthwise((1, 10, 5, 16)),
        _conv((1, 10, 5, 16), (1, 1), 16),
        _depthwise((1, 10, 5, 16)),
        _conv((1, 10, 5, 16), (1, 1), 16),
        *_head((10, 5), 16),
    )


def _along_time() -> ModelSpec:
    """Convolutions along an image one pixel wide, which run row by row."""
    return _chain(
        _conv((1, 64, 1, 4), (9, 1), 8, strides=(2, 1)),
        _conv((1, 32, 1, 8), (5, 1), 16, strides=(2, 1)),
        _conv((1, 16, 1, 16), (3, 1), 16),
        *_head((16, 1), 16),
    )


LAYERS: Mapping[str, Callable[[], ModelSpec]] = {
    "conv_3x3_of_3": partial(_conv, (1, 16, 16, 3), (3, 3), 8, strides=(2, 2)),
    "conv_3x3_of_1": partial(_conv, (1, 16, 16, 1), (3, 3), 8, strides=(2, 2)),
    "conv_10x4_of_1": partial(_conv, (1, 25, 10, 1), (10, 4), 16, strides=(2, 2)),
    "conv_1x1_of_8": partial(_conv, (1, 12, 12, 8), (1, 1), 16),
    "conv_1x1_of_16": partial(_conv, (1, 8, 8, 16), (1, 1), 32),
    "conv_1x1_of_27": partial(_conv, (1, 8, 8, 27), (1, 1), 16),
    "conv_1x1_of_64": partial(_conv, (1, 6, 6, 64), (1, 1), 64),
    "conv_1x1_of_64_signed": partial(_conv, (1, 6, 6, 64), (1, 1), 64, **_SIGNED),
    "conv_1x1_of_128": partial(_conv, (1, 3, 3, 128), (1, 1), 128),
    "conv_1x1_width_5": partial(_conv, (1, 7, 5, 64), (1, 1), 32),
    "conv_1x1_odd_channels": partial(_conv, (1, 7, 7, 21), (1, 1), 18),
    "conv_3x3_of_16": partial(_conv, (1, 8, 8, 16), (3, 3), 16),
    "conv_3x3_of_32": partial(_conv, (1, 6, 6, 32), (3, 3), 32),
    "conv_3x3_of_64": partial(_conv, (1, 8, 8, 64), (3, 3), 64),
    "conv_3x3_odd_channels": partial(_conv, (1, 7, 7, 13), (3, 3), 11),
    "conv_3x3_stride_2": partial(_conv, (1, 10, 10, 16), (3, 3), 16, strides=(2, 2)),
    "conv_3x3_dilated": partial(_conv, (1, 10, 10, 8), (3, 3), 8, dilations=(2, 2)),
    "conv_1x5": partial(_conv, (1, 8, 12, 8), (1, 5), 16),
    "conv_5x1": partial(_conv, (1, 12, 8, 8), (5, 1), 16),
    "conv_5x1_width_1": partial(_conv, (1, 48, 1, 16), (5, 1), 16),
    "depthwise_3x3": partial(_depthwise, (1, 12, 12, 16)),
    "depthwise_3x3_stride_2": partial(_depthwise, (1, 12, 12, 16), strides=(2, 2)),
    "depthwise_3x3_width_5": partial(_depthwise, (1, 12, 5, 32)),
    "depthwise_3x3_odd_channels": partial(_depthwise, (1, 9, 9, 7)),
    "depthwise_5x5": partial(_depthwise, (1, 10, 10, 8), (5, 5)),
    "depthwise_9x1_width_1": partial(_depthwise, (1, 48, 1, 16), (9, 1)),
    "dense_640x128": partial(_dense, 640, 128),
    "dense_128x128": partial(_dense, 128, 128),
    "dense_8x128": partial(_dense, 8, 128),
    "dense_16x16": partial(_dense, 16, 16),
    "dense_64x1": partial(_dense, 64, 1, **_SIGNED),
    "int16_conv_1x1_of_64": partial(_in_16_bits, partial(_conv, (1, 6, 6, 64), (1, 1), 32)),
    "int16_conv_3x3_of_16": partial(_in_16_bits, partial(_conv, (1, 8, 8, 16), (3, 3), 16)),
    "int16_dense_256x64": partial(_in_16_bits, partial(_dense, 256, 64)),
    "real_dense_64x32": lambda: real_dense((1, 64), (1, 32)),
    "real_dense_240x32": lambda: real_dense((1, 240), (1, 32)),
    "real_conv_3x3_of_16": lambda: real_model(conv((1, 8, 8, 16), (3, 3), outputs=16)),
    "real_depthwise_3x3": lambda: real_model(depthwise((1, 12, 12, 16))),
    "add": partial(add, (1, 8, 8, 16), (1, 8, 8, 16)),
    "mul": partial(mul, (1, 8, 8, 16), (1, 8, 8, 16)),
    "average_pool_5x25": partial(_average, (1, 25, 5, 32), (25, 5)),
    "average_pool_3x3": partial(_average, (1, 12, 12, 8), (3, 3), strides=(2, 2)),
    "max_pool_2x2": partial(pool, "MAX_POOL_2D", (1, 16, 16, 8)),
    "softmax": partial(softmax, (1, 12)),
    "quantize": partial(requantize, (0.3, 0.4), zero_points=(3, -7), shape=(1, 1024)),
    "residual_network": _residual,
    "image_classification_network": _image_classification,
    "separable_network": _separable,
    "network_along_time": _along_time,
}
"""Each by its name, which is the C name of its model as well."""
