"""Random networks with branches, quantized either way: TFLM runs what is written, with the bytes of
the oracles, and the outputs stand for those of the float32 model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.quantizer.float_models import RELU, SAME, chain, ints, real, reals
from tests.quantizer.runs import by_oracles, drawn, graph_of, quantized, random_inputs
from tests.support.tflm import tflm_outputs
from tinyml_rules.ir.dtype import DType
from tinyml_rules.model_file.writer import ModelSpec, TensorSpec
from tinyml_rules.quantizer.request import Scales

SHAPE = (1, 5, 5, 4)
NODES = 9
SEEDS = range(10)
LEAST_DB = 12.0
"""Of networks without training, whose outputs may be small beside what they are made of."""
STRIDES = {"StrideW": 1, "StrideH": 1, "Padding": SAME}
WINDOW = {**STRIDES, "FilterWidth": 3, "FilterHeight": 3}
PADS = ints("pads", ((0, 0), (1, 0), (0, 1), (0, 0)))

Row = tuple[str, list[TensorSpec], TensorSpec, dict[str, Any]]
Draw = Callable[[], TensorSpec]


def rows(kind: int, name: str, draw: Draw, seed: int) -> list[Row]:
    """The operators of one kind, the last of which makes tensor `name`."""
    out, inner = real(name, SHAPE), real(f"{name}_inner", SHAPE)
    weights = reals(f"{name}_w", (4, 3, 3, 4), scale=0.25, seed=seed)
    depthwise = reals(f"{name}_w", (1, 3, 3, 4), scale=0.4, seed=seed)
    bias, vector = (reals(f"{name}_{end}", (4,), scale=0.3, seed=seed) for end in "bv")
    deep, wide = real(f"{name}_deep", (1, 5, 5, 8)), real(f"{name}_wide", (1, 6, 6, 4))
    kinds: list[list[Row]] = [
        [("CONV_2D", [draw(), weights, bias], out, {**STRIDES, "FusedActivationFunction": RELU})],
        [
            ("CONV_2D", [draw(), weights, bias], inner, STRIDES),
            ("MUL", [inner, vector], out, {}),
        ],
        [
            (
                "DEPTHWISE_CONV_2D",
                [draw(), depthwise, bias],
                inner,
                {**STRIDES, "DepthMultiplier": 1},
            ),
            ("RELU6", [inner], out, {}),
        ],
        [("ADD", [draw(), draw()], out, {})],
        [("SUB", [draw(), vector], out, {})],
        [("MUL", [draw(), draw()], out, {})],
        [("MAXIMUM", [draw(), draw()], out, {})],
        [(("LOGISTIC", "TANH")[seed % 2], [draw()], out, {})],
        [("LEAKY_RELU", [draw()], out, {"Alpha": 0.25})],
        [("AVERAGE_POOL_2D", [draw()], out, WINDOW)],
        [("MAX_POOL_2D", [draw()], inner, WINDOW), ("RELU", [inner], out, {})],
        [
            ("CONCATENATION", [draw(), draw()], deep, {"Axis": 3}),
            ("SLICE", [deep, ints(f"{name}_at", (0, 0, 0, 2)), ints("size", SHAPE)], out, {}),
        ],
        [
            ("PAD", [draw(), PADS], wide, {}),
            ("SLICE", [wide, ints("from", (0, 1, 0, 0)), ints("size", SHAPE)], out, {}),
        ],
    ]
    return kinds[kind % len(kinds)]


def network(seed: int) -> ModelSpec:
    """Every tensor but the last is read by a random number of operators, also by none."""
    generator = np.random.default_rng(seed)
    made = [real("x", SHAPE), real("y", SHAPE)]
    found: list[Row] = []

    def draw() -> TensorSpec:
        return made[int(generator.integers(max(len(made) - 4, 0), len(made)))]

    found += rows(3, "start", lambda: made[len(found) % 2], seed)
    found[0] = ("ADD", [made[0], made[1]], real("start", SHAPE), {})
    made.append(real("start", SHAPE))
    for place in range(NODES):
        name = f"t{place}"
        found += rows(int(generator.integers(13)), name, draw, seed + place)
        made.append(real(name, SHAPE))
    return chain(found)


@pytest.mark.parametrize("scales", list(Scales))
@pytest.mark.parametrize("seed", SEEDS)
def test_random_network(seed: int, scales: Scales) -> None:
    """Twice the same bytes, on random integers those of TFLM, and a model of the same meaning."""
    spec = network(seed)
    found = quantized(spec, scales=scales)
    assert found.model == quantized(spec, scales=scales).model
    graph = graph_of(found.model)
    inputs = random_inputs(graph, count=4)
    for mine, theirs in zip(
        by_oracles(graph, inputs), tflm_outputs(found.model, inputs), strict=True
    ):
        np.testing.assert_array_equal(mine, theirs)
    assert {each.dtype for each in graph.tensors} <= {DType.INT8, DType.INT32}
    assert found.report["sqnr_db"] >= LEAST_DB
    assert found.report["gain_db"] >= found.report["gain_spread_db"]
    assert [graph.tensors[index].name for index in graph.inputs] == list(drawn(spec))
