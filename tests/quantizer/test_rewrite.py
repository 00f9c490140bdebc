"""Rewrites of float32 graphs: less to do, and the same outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.quantizer.float_models import (
    IMAGE,
    RELU,
    SAME,
    STRIDES,
    chain,
    ints,
    real,
    reals,
)
from tests.quantizer.runs import OPERATORS, drawn, graph_of
from tests.support.litert import litert_outputs
from tinyml_rules.model_file.writer import ModelSpec, TensorSpec, build_model
from tinyml_rules.ops._shared.interpreter import run_graph
from tinyml_rules.quantizer.core import float_core
from tinyml_rules.quantizer.rewrite import rewrite

PICTURE = (1, 6, 6, 5)
CONVOLUTION = {"Padding": SAME, **STRIDES}
WINDOW = {"StrideW": 2, "StrideH": 2, "FilterWidth": 2, "FilterHeight": 2}
SUM = ("CONV_2D", [IMAGE, reals("w", (5, 3, 3, 4)), reals("b", (5,))], real("s", PICTURE))

ROWS, ONES = (1, 5, 8), (1, 5, 1)
Made = tuple[str, list[TensorSpec], TensorSpec, dict[str, Any]]


def deviation(op: str, one: str, other: str, axis: int = 2) -> list[Made]:
    """1 / sqrt(variance + 0.001) of rows `x`: what is squared is made by an operator of two."""
    shapes, of_one = {"x": ROWS, "d": ROWS, "m": ONES}, {"KeepDims": True}
    operands = [real(each, shapes[each]) for each in (one, other)]
    size = ONES if axis % 3 == 2 else (1, 1, 8)
    centred: Made = ("SUB", [real("x", ROWS), real("m", ONES)], real("d", ROWS), {})
    return [
        ("MEAN", [real("x", ROWS), ints("axis", (2,))], real("m", ONES), of_one),
        *([centred] if "m" not in (one, other) else []),
        (op, operands, real("q", ROWS), {}),
        ("MEAN", [real("q", ROWS), ints("last", (axis,))], real("v", size), of_one),
        ("ADD", [real("v", size), reals("e", (), scale=0.001)], real("w", size), {}),
        ("RSQRT", [real("w", size)], real("r", size), {}),
    ]


def of_keras() -> list[Made]:
    """Layer normalization by products with factors."""
    return [
        *deviation("SQUARED_DIFFERENCE", "x", "m", -1),
        ("MUL", [real("r", ONES), reals("f", (8,))], real("k", ROWS), {}),
        ("MUL", [real("x", ROWS), real("k", ROWS)], real("xk", ROWS), {}),
        ("MUL", [real("k", ROWS), real("m", ONES)], real("mk", ROWS), {}),
        ("SUB", [reals("t", (8,)), real("mk", ROWS)], real("rest", ROWS), {}),
        ("ADD", [real("xk", ROWS), real("rest", ROWS)], real("a", ROWS), {}),
    ]


ROOT: Made = ("MUL", [real("d", ROWS), real("r", ONES)], real("a", ROWS), {})
OF_COLUMNS: Made = ("MUL", [real("d", ROWS), real("r", (1, 1, 8))], real("a", ROWS), {})
IN_INTEGERS = "mean sub concatenation l2_normalization slice mul"

MODELS: dict[str, tuple[ModelSpec, str]] = {
    "layer normalization of Keras": (chain(of_keras()), f"{IN_INTEGERS} add"),
    "layer normalization of PyTorch": (chain([*deviation("MUL", "d", "d"), ROOT]), IN_INTEGERS),
    "mean of squares alone": (
        chain([*deviation("MUL", "x", "x"), ROOT]),
        "mean sub mul mean add rsqrt mul",
    ),
    "squares of other differences": (
        chain([*deviation("SQUARED_DIFFERENCE", "x", "d"), ROOT]),
        "mean sub squared_difference mean add rsqrt mul",
    ),
    "deviation of columns": (
        chain([*deviation("MUL", "d", "d", 1), OF_COLUMNS]),
        "mean sub mul mean add rsqrt mul",
    ),
    "batch normalization": (
        chain(
            [
                (*SUM, CONVOLUTION),
                ("MUL", [real("s", PICTURE), reals("f", (5,))], real("m", PICTURE), {}),
                (
                    "ADD",
                    [real("m", PICTURE), reals("t", (1, 1, 1, 5))],
                    real("a", PICTURE),
                    {"FusedActivationFunction": RELU},
                ),
            ]
        ),
        "conv_2d",
    ),
    "difference and quotient": (
        chain(
            [
                (*SUM, CONVOLUTION),
                ("SUB", [reals("f", (1,)), real("s", PICTURE)], real("m", PICTURE), {}),
                ("DIV", [real("m", PICTURE), reals("t", (5,))], real("a", PICTURE), {}),
            ]
        ),
        "conv_2d",
    ),
    "factor that is not of channels": (
        chain(
            [
                (*SUM, CONVOLUTION),
                ("MUL", [real("s", PICTURE), reals("f", (1, 6, 6, 1))], real("m", PICTURE), {}),
            ]
        ),
        "conv_2d mul",
    ),
    "factor behind a clamp": (
        chain(
            [
                (*SUM, {**CONVOLUTION, "FusedActivationFunction": RELU}),
                ("MUL", [real("s", PICTURE), reals("f", (5,))], real("m", PICTURE), {}),
            ]
        ),
        "conv_2d mul",
    ),
    "sum that is read twice": (
        chain(
            [
                (*SUM, CONVOLUTION),
                ("MUL", [real("s", PICTURE), reals("f", (5,))], real("m", PICTURE), {}),
                ("ADD", [real("m", PICTURE), real("s", PICTURE)], real("a", PICTURE), {}),
            ]
        ),
        "conv_2d mul add",
    ),
    "clamps": (
        chain(
            [
                (*SUM, CONVOLUTION),
                ("RELU", [real("s", PICTURE)], real("m", PICTURE), {}),
                ("RELU6", [real("m", PICTURE)], real("a", PICTURE), {}),
            ]
        ),
        "conv_2d",
    ),
    "clamp behind a maximum": (
        chain(
            [
                (*SUM, CONVOLUTION),
                (
                    "PADV2",
                    [
                        real("s", PICTURE),
                        ints("pads", ((0, 0), (1, 1), (1, 1), (0, 0))),
                        reals("v", (1,)),
                    ],
                    real("p", (1, 8, 8, 5)),
                    {},
                ),
                ("MAX_POOL_2D", [real("p", (1, 8, 8, 5))], real("m", (1, 4, 4, 5)), WINDOW),
                ("RELU", [real("m", (1, 4, 4, 5))], real("a", (1, 4, 4, 5)), {}),
            ]
        ),
        "conv_2d padv2 max_pool_2d",
    ),
    "clamp behind a mean": (
        chain(
            [
                (*SUM, CONVOLUTION),
                ("AVERAGE_POOL_2D", [real("s", PICTURE)], real("m", (1, 3, 3, 5)), WINDOW),
                ("RELU", [real("m", (1, 3, 3, 5))], real("a", (1, 3, 3, 5)), {}),
            ]
        ),
        "conv_2d average_pool_2d",
    ),
    "two shapes": (
        chain(
            [
                ("RESHAPE", [IMAGE, ints("n", (1, 144))], real("m", (1, 144)), {}),
                ("RESHAPE", [real("m", (1, 144)), ints("k", (12, 12))], real("a", (12, 12)), {}),
            ]
        ),
        "reshape",
    ),
    "a weight that is read twice": (
        chain(
            [
                (*SUM, CONVOLUTION),
                ("MUL", [real("s", PICTURE), reals("b", (5,))], real("m", PICTURE), {}),
            ]
        ),
        "conv_2d",
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_same_function(name: str) -> None:
    """The nodes that are left give what LiteRT's reference kernels make of the whole model."""
    spec, left = MODELS[name]
    model = build_model(spec)
    graph = rewrite(float_core(graph_of(model), OPERATORS).graph, OPERATORS)
    assert " ".join(node.op for node in graph.nodes) == left
    given = drawn(spec, count=3)["x"]
    wanted = litert_outputs(model, [given])[0]
    for sample, expected in zip(given, wanted, strict=True):
        (found,) = run_graph(graph, OPERATORS, {graph.inputs[0]: sample})
        np.testing.assert_allclose(found.astype(np.float32), expected, rtol=2e-5, atol=2e-5)
