"""Small float32 models, one for each operator of the 8-bit specification and some more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tflite

from tinyml_rules.model_file.writer import (
    ModelSpec,
    OperatorSpec,
    OptionValue,
    TensorSpec,
)

Shape = tuple[int, ...]
SAME = tflite.Padding.SAME
RELU = tflite.ActivationFunctionType.RELU


def real(name: str, shape: Shape) -> TensorSpec:
    """A computed tensor, or an input."""
    return TensorSpec(name, shape, "float32")


def reals(name: str, shape: Shape, *, scale: float = 0.5, seed: int = 3) -> TensorSpec:
    """A constant of normal values."""
    values = np.random.default_rng(seed).normal(0, scale, shape).astype(np.float32)
    return TensorSpec(name, shape, "float32", data=values)


def ints(name: str, values: Any) -> TensorSpec:
    """A constant of int32."""
    array = np.array(values, np.int32)
    return TensorSpec(name, array.shape, "int32", data=array)


def one(
    op: str,
    operands: Sequence[TensorSpec],
    result: Shape | TensorSpec,
    options: Mapping[str, OptionValue] | None = None,
) -> ModelSpec:
    """A model of one operator; operands without values are its inputs."""
    output = result if isinstance(result, TensorSpec) else real("result", result)
    return chain([(op, operands, output, options or {})])


def chain(
    nodes: Sequence[tuple[str, Sequence[TensorSpec], TensorSpec, Mapping[str, OptionValue]]],
) -> ModelSpec:
    """Operators one behind the other; tensors are the same if their names are.  What no operator
    makes is an input, what none reads an output."""
    tensors: dict[str, TensorSpec] = {}
    for _, operands, result, _ in nodes:
        tensors |= {each.name: each for each in (*operands, result)}
    places = {name: place for place, name in enumerate(tensors)}
    made = {result.name for _, _, result, _ in nodes}
    read = {each.name for _, operands, _, _ in nodes for each in operands}
    operators = tuple(
        OperatorSpec(
            op, tuple(places[each.name] for each in operands), (places[result.name],), options
        )
        for op, operands, result, options in nodes
    )
    return ModelSpec(
        tensors=tuple(tensors.values()),
        operators=operators,
        inputs=tuple(
            places[name]
            for name, tensor in tensors.items()
            if name not in made and tensor.data is None
        ),
        outputs=tuple(places[name] for name in tensors if name in made and name not in read),
    )


IMAGE = real("x", (1, 6, 6, 4))
ROW = real("x", (1, 12))
OTHER = real("y", (1, 12))
POSITIVE = real("positive", (1, 12))
STRIDES: Mapping[str, OptionValue] = {"StrideW": 1, "StrideH": 1}
POOL: Mapping[str, OptionValue] = {"StrideW": 2, "StrideH": 2, "FilterWidth": 2, "FilterHeight": 2}
BOOLS = TensorSpec("result", (1, 12), "bool")


def _pads(*pairs: tuple[int, int]) -> TensorSpec:
    return ints("pads", pairs)


def _away_from_0(name: str, shape: Shape) -> TensorSpec:
    """A divisor none of which becomes 0."""
    values = np.random.default_rng(4).uniform(0.5, 2, shape).astype(np.float32)
    return TensorSpec(name, shape, "float32", data=values)


def _convolution(**options: OptionValue) -> ModelSpec:
    operands = [IMAGE, reals("w", (5, 3, 3, 4)), reals("b", (5,))]
    return one("CONV_2D", operands, (1, 6, 6, 5), {"Padding": SAME, **STRIDES, **options})


MODELS: dict[str, ModelSpec] = {
    "ADD": one("ADD", [ROW, OTHER], (1, 12)),
    "ADD constant": one("ADD", [ROW, reals("c", (1, 12))], (1, 12)),
    "AVERAGE_POOL_2D": one("AVERAGE_POOL_2D", [IMAGE], (1, 3, 3, 4), POOL),
    "MAX_POOL_2D": one("MAX_POOL_2D", [IMAGE], (1, 3, 3, 4), POOL),
    "CONCATENATION": one("CONCATENATION", [ROW, OTHER], (1, 24), {"Axis": 1}),
    "CONV_2D": _convolution(FusedActivationFunction=RELU),
    "DEPTHWISE_CONV_2D": one(
        "DEPTHWISE_CONV_2D",
        [IMAGE, reals("w", (1, 3, 3, 8)), reals("b", (8,))],
        (1, 6, 6, 8),
        {"Padding": SAME, "DepthMultiplier": 2, **STRIDES},
    ),
    "FULLY_CONNECTED": one("FULLY_CONNECTED", [ROW, reals("w", (7, 12)), reals("b", (7,))], (1, 7)),
    "FULLY_CONNECTED without bias": one("FULLY_CONNECTED", [ROW, reals("w", (7, 12))], (1, 7)),
    "TRANSPOSE_CONV": one(
        "TRANSPOSE_CONV",
        [ints("shape", (1, 12, 12, 3)), reals("w", (3, 3, 3, 4)), IMAGE, reals("b", (3,))],
        (1, 12, 12, 3),
        {"Padding": SAME, "StrideW": 2, "StrideH": 2},
    ),
    "L2_NORMALIZATION": one("L2_NORMALIZATION", [ROW], (1, 12)),
    "LOGISTIC": one("LOGISTIC", [ROW], (1, 12)),
    "TANH": one("TANH", [ROW], (1, 12)),
    "SOFTMAX": one("SOFTMAX", [ROW], (1, 12), {"Beta": 1.0}),
    "LOG_SOFTMAX": one("LOG_SOFTMAX", [ROW], (1, 12)),
    "MUL": one("MUL", [ROW, OTHER], (1, 12)),
    "SUB": one("SUB", [ROW, OTHER], (1, 12)),
    "RESHAPE": one("RESHAPE", [ROW, ints("shape", (3, 4))], (3, 4)),
    "RESHAPE by options": one("RESHAPE", [ROW], (3, 4), {"NewShape": [3, 4]}),
    "SQUEEZE": one("SQUEEZE", [ROW], (12,), {"SqueezeDims": [0]}),
    "RESIZE_BILINEAR": one(
        "RESIZE_BILINEAR", [IMAGE, ints("size", (9, 9))], (1, 9, 9, 4), {"HalfPixelCenters": True}
    ),
    "SPACE_TO_DEPTH": one("SPACE_TO_DEPTH", [IMAGE], (1, 3, 3, 16), {"BlockSize": 2}),
    "PAD": one("PAD", [ROW, _pads((0, 0), (1, 2))], (1, 15)),
    "PADV2": one("PADV2", [ROW, _pads((0, 0), (1, 2)), reals("v", (1,))], (1, 15)),
    "GATHER": one("GATHER", [ROW, ints("places", (3, 0, 5))], (1, 3), {"Axis": 1}),
    "BATCH_TO_SPACE_ND": one(
        "BATCH_TO_SPACE_ND",
        [real("x", (4, 3, 3, 2)), ints("block", (2, 2)), _pads((0, 0), (0, 0))],
        (1, 6, 6, 2),
    ),
    "SPACE_TO_BATCH_ND": one(
        "SPACE_TO_BATCH_ND",
        [IMAGE, ints("block", (2, 2)), _pads((0, 0), (0, 0))],
        (4, 3, 3, 4),
    ),
    "TRANSPOSE": one("TRANSPOSE", [IMAGE, ints("order", (0, 2, 1, 3))], (1, 6, 6, 4)),
    "MEAN": one("MEAN", [IMAGE, ints("axes", (1, 2))], (1, 4)),
    "SUM": one("SUM", [IMAGE, ints("axes", (1, 2))], (1, 4)),
    "MAXIMUM": one("MAXIMUM", [ROW, OTHER], (1, 12)),
    "MINIMUM constant": one("MINIMUM", [ROW, reals("c", (1, 12))], (1, 12)),
    "SLICE": one("SLICE", [ROW, ints("begin", (0, 2)), ints("size", (1, 5))], (1, 5)),
    "ARG_MAX": one(
        "ARG_MAX",
        [ROW, ints("axis", 1)],
        TensorSpec("result", (1,), "int32"),
        {"OutputType": tflite.TensorType.INT32},
    ),
    **{
        op: one(op, [ROW, OTHER], BOOLS)
        for op in ("LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL", "EQUAL", "NOT_EQUAL")
    },
    "RELU": one("RELU", [ROW], (1, 12)),
    "RELU6": one("RELU6", [ROW], (1, 12)),
    "LEAKY_RELU": one("LEAKY_RELU", [ROW], (1, 12), {"Alpha": 0.1}),
    "HARD_SWISH": one("HARD_SWISH", [ROW], (1, 12)),
    "STRIDED_SLICE": one(
        "STRIDED_SLICE",
        [ROW, ints("begin", (0, 1)), ints("end", (1, 11)), ints("strides", (1, 2))],
        (1, 5),
    ),
    "EXPAND_DIMS": one("EXPAND_DIMS", [ROW, ints("axis", 0)], (1, 1, 12)),
    "RESIZE_NEAREST_NEIGHBOR": one(
        "RESIZE_NEAREST_NEIGHBOR", [IMAGE, ints("size", (9, 9))], (1, 9, 9, 4)
    ),
    "PACK": one("PACK", [ROW, OTHER], (2, 1, 12), {"Axis": 0, "ValuesCount": 2}),
    "REDUCE_MAX": one("REDUCE_MAX", [IMAGE, ints("axes", (1, 2))], (1, 4)),
    "PRELU": one("PRELU", [IMAGE, reals("alpha", (1, 1, 4))], (1, 6, 6, 4)),
    "ABS": one("ABS", [ROW], (1, 12)),
    "NEG": one("NEG", [ROW], (1, 12)),
    "MIRROR_PAD": one("MIRROR_PAD", [ROW, _pads((0, 0), (1, 1))], (1, 14)),
    "DEPTH_TO_SPACE": one("DEPTH_TO_SPACE", [IMAGE], (1, 12, 12, 1), {"BlockSize": 2}),
    "SQUARED_DIFFERENCE": one("SQUARED_DIFFERENCE", [ROW, OTHER], (1, 12)),
    "BATCH_MATMUL": one("BATCH_MATMUL", [real("x", (1, 4, 3)), real("y", (1, 3, 5))], (1, 4, 5)),
    **{op: one(op, [ROW], (1, 12)) for op in ("EXP", "GELU")},
    **{op: one(op, [POSITIVE], (1, 12)) for op in ("LOG", "SQRT", "RSQRT")},
    "DIV constant": one("DIV", [POSITIVE, _away_from_0("c", (1, 12))], (1, 12)),
    "REDUCE_MIN": one("REDUCE_MIN", [IMAGE, ints("axes", (1, 2))], (1, 4)),
    "GATHER_ND": one("GATHER_ND", [ROW, ints("places", ((0, 3), (0, 5)))], (2,)),
    "TILE": one("TILE", [ROW, ints("times", (2, 1))], (2, 12)),
    "REVERSE_V2": one("REVERSE_V2", [ROW, ints("axes", (1,))], (1, 12)),
    "SELECT_V2": chain(
        [
            ("GREATER", [ROW, OTHER], TensorSpec("where", (1, 12), "bool"), {}),
            (
                "SELECT_V2",
                [TensorSpec("where", (1, 12), "bool"), ROW, OTHER],
                real("result", (1, 12)),
                {},
            ),
        ]
    ),
    "CONCATENATION of scores": chain(
        [
            ("LOGISTIC", [ROW], real("score", (1, 12)), {}),
            ("CONCATENATION", [real("score", (1, 12)), OTHER], real("all", (1, 24)), {"Axis": 1}),
        ]
    ),
    "SHAPE": chain(
        [
            ("SHAPE", [ROW], TensorSpec("sizes", (2,), "int32"), {"OutType": 2}),
            ("RESHAPE", [OTHER, TensorSpec("sizes", (2,), "int32")], real("result", (1, 12)), {}),
            ("ADD", [ROW, real("result", (1, 12))], real("sum", (1, 12)), {}),
        ]
    ),
}
"""By operator, and what is special about it."""
