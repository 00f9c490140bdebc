"""Rewrites of float32 graphs: less to do, and the same outputs."""

from __future__ import annotations

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
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.interpreter import run_graph
from tinyml_rules.quantizer.core import float_core
from tinyml_rules.quantizer.rewrite import rewrite

PICTURE = (1, 6, 6, 5)
CONVOLUTION = {"Padding": SAME, **STRIDES}
WINDOW = {"StrideW": 2, "StrideH": 2, "FilterWidth": 2, "FilterHeight": 2}
SUM = ("CONV_2D", [IMAGE, reals("w", (5, 3, 3, 4)), reals("b", (5,))], real("s", PICTURE))

MODELS: dict[str, tuple[ModelSpec, str]] = {
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
