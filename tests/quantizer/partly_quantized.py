"""Models that were quantized in part, or trained for integers and exported in float32."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.quantizer.float_models import (
    IMAGE,
    MODELS,
    POOL,
    RELU,
    SAME,
    STRIDES,
    Shape,
    chain,
    real,
    reals,
)
from tinyml_rules.model_file.writer import ModelSpec, TensorSpec

Nodes = list[tuple[str, Sequence[TensorSpec], TensorSpec, Any]]

ENDS = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767)}


def integers(name: str, shape: Shape, low: float, high: float, dtype: str) -> TensorSpec:
    """A quantized tensor that holds the real numbers from `low` to `high`."""
    least, most = ENDS[dtype]
    if dtype == "int16":
        return TensorSpec(name, shape, dtype, (max(-low, high) / most,), (0,))
    scale = (high - low) / (most - least)
    return TensorSpec(name, shape, dtype, (scale,), (round(least - low / scale),))


def around(source: TensorSpec, low: float, high: float, dtype: str) -> tuple[Nodes, TensorSpec]:
    """QUANTIZE and DEQUANTIZE behind a tensor, and the tensor behind those."""
    quantized = integers(f"{source.name}_q", source.shape, low, high, dtype)
    result = real(f"{source.name}_d", source.shape)
    return [("QUANTIZE", [source], quantized, {}), ("DEQUANTIZE", [quantized], result, {})], result


def per_channel(name: str, shape: Shape) -> tuple[Nodes, TensorSpec]:
    """Weights as training for quantization exports them: int8 with a scale for each channel, and
    DEQUANTIZE."""
    values = reals(name, shape, scale=0.3).data
    assert isinstance(values, np.ndarray)
    scales = np.abs(values).reshape(shape[0], -1).max(axis=1) / 127
    data = np.rint(values / scales.reshape(-1, *[1] * (len(shape) - 1))).astype(np.int8)
    numbers = tuple(map(float, scales.astype(np.float32)))
    stored = TensorSpec(f"{name}_q", shape, "int8", numbers, (0,) * shape[0], data=data)
    return [("DEQUANTIZE", [stored], real(name, shape), {})], real(name, shape)


def trained_for(dtype: str) -> ModelSpec:
    """Float layers, around all of which are conversions."""
    first, image = around(IMAGE, -4, 4, dtype)
    constants, weights = per_channel("w", (5, 3, 3, 4))
    features = real("features", (1, 6, 6, 5))
    second, seen = around(features, 0, 6, dtype)
    pooled = real("pooled", (1, 3, 3, 5))
    third, kept = around(pooled, 0, 6, dtype)
    scores = real("scores", (1, 3))
    last, found = around(scores, -5, 5, dtype)
    relu = {"Padding": SAME, "FusedActivationFunction": RELU, **STRIDES}
    return chain(
        [
            *first,
            *constants,
            ("CONV_2D", [image, weights, reals("b", (5,))], features, relu),
            *second,
            ("MAX_POOL_2D", [seen], pooled, POOL),
            *third,
            ("FULLY_CONNECTED", [kept, reals("v", (3, 45), scale=0.15)], scores, {}),
            *last,
            ("SOFTMAX", [found], real("classes", (1, 3)), {"Beta": 1.0}),
        ]
    )


def with_island() -> ModelSpec:
    """An int8 layer, two float layers, and an int8 layer."""
    source = integers("x", (1, 12), -4, 4, "int8")
    generator = np.random.default_rng(4)
    hidden = integers("hidden", (1, 8), -6, 6, "int8")
    middle = reals("u", (8, 8), scale=0.3)
    middle_q = integers("middle_q", (1, 8), -1, 1, "int8")
    result = integers("y", (1, 4), -12, 12, "int8")

    def weights(name: str, shape: Shape) -> TensorSpec:
        data = generator.integers(-127, 128, shape).astype(np.int8)
        return TensorSpec(name, shape, "int8", (0.006,), (0,), data=data)

    return chain(
        [
            ("FULLY_CONNECTED", [source, weights("w", (8, 12))], hidden, {}),
            ("DEQUANTIZE", [hidden], real("real", (1, 8)), {}),
            ("L2_NORMALIZATION", [real("real", (1, 8))], real("normal", (1, 8)), {}),
            ("FULLY_CONNECTED", [real("normal", (1, 8)), middle], real("middle", (1, 8)), {}),
            ("QUANTIZE", [real("middle", (1, 8))], middle_q, {}),
            ("FULLY_CONNECTED", [middle_q, weights("v", (4, 8))], result, {}),
        ]
    )


def with_stored_weights(dtype: str) -> ModelSpec:
    """Weights of float16 with a DEQUANTIZE, or of int8 without one, and activations of float32."""
    shape = (5, 3, 3, 4)
    if dtype == "float16":
        values = reals("w", shape, scale=0.3).data
        assert isinstance(values, np.ndarray)
        stored = TensorSpec("w_h", shape, "float16", data=values.astype(np.float16))
        nodes: Nodes = [("DEQUANTIZE", [stored], real("w", shape), {})]
        weights = real("w", shape)
    else:
        ((_, (stored, *_), _, _),), _ = per_channel("w", shape)
        nodes, weights = [], stored
    features = real("features", (1, 6, 6, 5))
    convolution = {"Padding": SAME, "FusedActivationFunction": RELU, **STRIDES}
    nodes += [
        ("CONV_2D", [IMAGE, weights, reals("b", (5,))], features, convolution),
        ("L2_NORMALIZATION", [features], real("y", (1, 6, 6, 5)), {}),
    ]
    return chain(nodes)


SPECS: dict[str, ModelSpec] = {
    **{f"trained for {dtype}": trained_for(dtype) for dtype in ENDS},
    "island": with_island(),
    "float16": with_stored_weights("float16"),
    "dynamic range": with_stored_weights("int8"),
    "float32": MODELS["FULLY_CONNECTED"],
}


def with_integer_ends(dtype: str) -> ModelSpec:
    """A float layer of a model that takes and gives integers."""
    source = integers("x", (1, 12), -4, 4, dtype)
    result = integers("y", (1, 7), -9, 9, dtype)
    return chain(
        [
            ("DEQUANTIZE", [source], real("x_d", (1, 12)), {}),
            ("FULLY_CONNECTED", [real("x_d", (1, 12)), reals("w", (7, 12))], real("s", (1, 7)), {}),
            ("QUANTIZE", [real("s", (1, 7))], result, {}),
        ]
    )
