"""Every operator of the specification, from float32 to int8: TFLM and LiteRT take the file, the
oracles equal TFLM byte for byte, and the specification's restrictions hold."""

from __future__ import annotations

import numpy as np
import pytest

from tests.quantizer.float_models import MODELS
from tests.quantizer.runs import by_oracles, drawn, graph_of, quantized, random_inputs
from tests.support.litert import litert_outputs
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.dtype import DType
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import default_search, load_target

SPECIFICATION = (
    *("ADD", "AVERAGE_POOL_2D", "CONCATENATION", "CONV_2D"),
    *("DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "L2_NORMALIZATION", "LOGISTIC"),
    *("MAX_POOL_2D", "MUL", "RESHAPE", "RESIZE_BILINEAR"),
    *("SOFTMAX", "SPACE_TO_DEPTH", "TANH", "PAD"),
    *("GATHER", "BATCH_TO_SPACE_ND", "SPACE_TO_BATCH_ND", "TRANSPOSE"),
    *("MEAN", "SUB", "SUM", "SQUEEZE"),
    *("LOG_SOFTMAX", "MAXIMUM", "ARG_MAX", "MINIMUM"),
    *("LESS", "PADV2", "GREATER", "GREATER_EQUAL"),
    *("LESS_EQUAL", "SLICE", "EQUAL", "NOT_EQUAL"),
    *("SHAPE", "QUANTIZE"),
)
ONE_QUANTIZATION = (
    *("AVERAGE_POOL_2D", "CONCATENATION", "MAX_POOL_2D", "RESHAPE"),
    *("RESIZE_BILINEAR", "SPACE_TO_DEPTH", "PAD", "GATHER"),
    *("BATCH_TO_SPACE_ND", "SPACE_TO_BATCH_ND", "TRANSPOSE", "SQUEEZE"),
    *("MAXIMUM", "MINIMUM", "PADV2", "SLICE"),
)
FIXED = {
    "L2_NORMALIZATION": (1 / 128, 0),
    "LOGISTIC": (1 / 256, -128),
    "SOFTMAX": (1 / 256, -128),
    "TANH": (1 / 128, 0),
    "LOG_SOFTMAX": (16 / 256, 127),
}
WEIGHTS = {"CONV_2D": 0, "DEPTHWISE_CONV_2D": 3, "FULLY_CONNECTED": 0}
NOT_IN_TFLM = ("EXP", "GELU", "LOG", "NEG", "SQRT", "TILE")
"""Which LiteRT has as int8."""
LEAST_DB = 25.0
"""Of one operator on the samples that it was calibrated with."""


def test_every_operator_has_a_model() -> None:
    """QUANTIZE is what stands between operators of different fixed quantization."""
    of_scores = graph_of(quantized(MODELS["CONCATENATION of scores"]).model)
    names = {name.split()[0] for name in MODELS} | {node.op.upper() for node in of_scores.nodes}
    assert sorted(set(SPECIFICATION) - names) == []


@pytest.mark.parametrize("name", MODELS)
def test_equals_tflm(name: str) -> None:
    """On any int8 input; LiteRT runs it too, and the compiler takes it."""
    model = quantized(MODELS[name]).model
    graph = graph_of(model)
    inputs = random_inputs(graph)
    by_litert = litert_outputs(model, inputs)
    expected = by_litert if name in NOT_IN_TFLM else tflm_outputs(model, inputs)
    for mine, theirs in zip(by_oracles(graph, inputs), expected, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    compile_model(Request(model, "model", load_target("host", search=default_search())))


@pytest.mark.parametrize("name", MODELS)
def test_means_the_same(name: str) -> None:
    """The outputs stand for those of the float32 model on LiteRT's reference kernels."""
    spec = MODELS[name]
    arrays = drawn(spec)
    graph = graph_of(quantized(spec).model)
    real = [arrays[spec.tensors[index].name] for index in spec.inputs]
    integers = []
    for index, values in zip(graph.inputs, real, strict=True):
        tensor = graph.tensors[index]
        found = np.rint(values.astype(np.float64) / tensor.scale) + tensor.zero_point
        integers.append(np.clip(found, -128, 127).astype(np.int8))
    wanted = litert_outputs(build_model(spec), real)[0].astype(np.float64)
    (index,) = graph.outputs
    tensor, got = graph.tensors[index], by_oracles(graph, integers)[0].astype(np.float64)
    if tensor.dtype is DType.INT8:
        got = (got - tensor.zero_point) * tensor.scale
        noise = np.square(got - wanted).sum()
        assert 10 * np.log10(np.square(wanted).sum() / noise) >= LEAST_DB
    else:
        assert np.mean(got == wanted) > 0.9


@pytest.mark.parametrize("name", MODELS)
def test_keeps_to_the_specification(name: str) -> None:
    """Types, symmetry, axes, and which tensors share a quantization."""
    graph = graph_of(quantized(MODELS[name]).model)
    for node in graph.nodes:
        op = node.op.upper()
        tensors = [
            graph.tensors[index] for index in (*node.inputs, *node.outputs) if index is not None
        ]
        int8 = [each for each in tensors if each.dtype is DType.INT8]
        assert all(each.dtype is not DType.FLOAT32 for each in tensors)
        if op in ONE_QUANTIZATION:
            assert len({(each.scale, each.zero_point) for each in int8}) == 1
        if op in FIXED:
            assert (int8[-1].scale, int8[-1].zero_point) == FIXED[op]
        if op in WEIGHTS:
            source, weights, bias = tensors[:3]
            assert weights.quantization is not None and bias.quantization is not None
            assert weights.quantization.axis == WEIGHTS[op]
            assert len(weights.quantization.scales) == weights.shape[WEIGHTS[op]]
            assert weights.data is not None
            assert int(np.abs(weights.data.astype(int)).max()) == 127
            assert (
                set(weights.quantization.zero_points) == set(bias.quantization.zero_points) == {0}
            )
            products = np.float64(source.scale) * np.array(weights.quantization.scales)
            np.testing.assert_allclose(bias.quantization.scales, products, rtol=1e-6)
            assert bias.dtype is DType.INT32
