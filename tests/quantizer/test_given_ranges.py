"""Ranges of the file: which tensors have them then, and that no conversion is left."""

from __future__ import annotations

import numpy as np
import pytest

from tests.quantizer.float_models import POOL, chain, real
from tests.quantizer.partly_quantized import (
    ENDS,
    SPECS,
    around,
    integers,
    trained_for,
    with_integer_ends,
    with_island,
)
from tests.quantizer.runs import AnyArray, drawn, graph_of, quantized
from tests.quantizer.test_wrong_input import equals_tflm
from tinyml_rules.arithmetic.fixed_point import dequantize_real, quantize_real
from tinyml_rules.errors import UnsupportedError, UsageError
from tinyml_rules.ir.graph import Graph, Quantization
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.quantizer.quantize import quantize
from tinyml_rules.quantizer.request import Quantized, QuantizeRequest, Scales


def by_the_file(spec: ModelSpec, scales: Scales = Scales.FREE) -> Quantized:
    """Without samples."""
    return quantize(QuantizeRequest(build_model(spec), "model", scales=scales))


def names(graph: Graph) -> list[str]:
    """Of its operators."""
    return [node.op for node in graph.nodes]


def quantization(graph: Graph, name: str) -> Quantization:
    """Of a tensor."""
    (found,) = (each.quantization for each in graph.tensors if each.name == name)
    assert found is not None
    return found


@pytest.mark.parametrize("dtype", ENDS)
def test_pairs_are_taken_off(dtype: str) -> None:
    """Each tensor keeps the range that it was trained with, whatever samples say."""
    spec = trained_for(dtype)
    found = by_the_file(spec)
    graph = graph_of(found.model)
    assert names(graph) == ["conv_2d", "max_pool_2d", "fully_connected", "softmax"]
    wide = {"x": drawn(spec)["x"] * np.float32(100)}
    others = graph_of(quantized(spec, wide).model)
    for name, (low, high) in {"x": (-4, 4), "features": (0, 6), "scores": (-5, 5)}.items():
        scale = max(-low, high) * 2 / 255 if dtype == "int16" else (high - low) / 255
        kept = quantization(graph, name)
        assert kept == quantization(others, name)
        assert kept.scales[0] == pytest.approx(scale, rel=1e-3)
    assert found.report["sqnr_db"] is None
    assert "4 tensors have the range that the file says" in str(found.notes[0])
    assert "without samples nothing is measured" in str(found.notes[-1])
    equals_tflm(found.model)


@pytest.mark.parametrize("name", SPECS)
def test_powers_of_two(name: str) -> None:
    """Ranges of the file in such scales."""
    found = quantized(SPECS[name], scales=Scales.POWER_OF_TWO)
    assert found.report["sqnr_db"] > 20
    equals_tflm(found.model)


def test_integer_layers_stay() -> None:
    """Those around an island keep their weights and their scales to the bit."""
    spec = with_island()
    graph = graph_of(by_the_file(spec).model)
    assert names(graph) == ["fully_connected", "l2_normalization", *["fully_connected"] * 2]
    before = graph_of(build_model(spec))
    kept = {name: name for name in ("x", "w", "hidden", "v", "y")}
    for pair in {**kept, "middle_q": "middle"}.items():  # whose QUANTIZE is gone
        (old,), (new,) = (
            [tensor for tensor in each.tensors if tensor.name == name]
            for each, name in zip((before, graph), pair, strict=True)
        )
        assert old.quantization == new.quantization
        np.testing.assert_array_equal(old.data, new.data)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
def test_integer_ends(dtype: str) -> None:
    """Samples are real numbers, or what the file itself takes; names stay."""
    spec = with_integer_ends(dtype)
    graph = graph_of(by_the_file(spec).model)
    assert names(graph) == ["fully_connected"]
    assert [graph.tensors[each].name for each in (*graph.inputs, *graph.outputs)] == ["x", "y"]
    tensor = graph_of(build_model(spec)).tensors[0]
    real_values = np.random.default_rng(3).normal(0, 1, (12, 1, 12)).astype(np.float32)
    scale, zero_point = tensor.scale, tensor.zero_point
    raw: AnyArray = quantize_real(real_values, scale=scale, zero_point=zero_point, dtype=dtype)
    held = dequantize_real(raw, scale=scale, zero_point=zero_point)
    assert quantized(spec, {"x": raw}).model == quantized(spec, {"x": held}).model
    with pytest.raises(UsageError, match=f"input 'x' is int32, expected {dtype}"):
        quantized(spec, {"x": raw.astype(np.int32)})


def test_real_samples_of_an_integer_input() -> None:
    """They are quantized as the input is."""
    spec = with_island()
    values = np.random.default_rng(3).normal(0, 1, (12, 1, 12)).astype(np.float32)
    raw = quantize_real(values, scale=spec.tensors[0].scales[0], zero_point=0)
    by_reals = quantized(spec, {"x": values})
    assert by_reals.model == quantized(spec, {"x": raw}).model
    with pytest.raises(UsageError, match="in sample 3 that is no finite number"):
        quantized(spec, {"x": np.where(np.arange(12).reshape(-1, 1, 1) == 3, np.nan, values)})


def test_a_range_goes_with_what_is_moved() -> None:
    """To the output of an operator that only moves or chooses; a partner without one needs
    samples."""
    image = real("x", (1, 6, 6, 4))
    first, seen = around(image, -4, 4, "int8")
    pooled = real("pooled", (1, 3, 3, 4))
    pool = chain([*first, ("MAX_POOL_2D", [seen], pooled, POOL)])
    graph = graph_of(by_the_file(pool).model)
    assert quantization(graph, "pooled") == quantization(graph, "x")
    joined = real("joined", (1, 6, 6, 8))
    both = chain([*first, ("CONCATENATION", [seen, real("y", (1, 6, 6, 4))], joined, {"Axis": 3})])
    with pytest.raises(UsageError, match=r"2 tensors, the first of them #\d+ '(y|joined)', have"):
        by_the_file(both)
    samples = drawn(both)
    graph = graph_of(quantized(both, {**samples, "y": samples["y"] * np.float32(9)}).model)
    assert quantization(graph, "joined").scales[0] > 20 / 255


@pytest.mark.parametrize(
    ("dtype", "hint"),
    [("int8", "compile it as it is"), ("uint8", "take the float model that it was made of")],
)
def test_whole_integer_models(dtype: str, hint: str) -> None:
    """They are not asked to be compiled where that would be refused."""
    ends = [integers(name, (1, 12), -4, 4, dtype) for name in ("x", "y")]
    spec = chain([("RELU", ends[:1], ends[1], {})])
    with pytest.raises(UnsupportedError, match="the model is quantized already") as caught:
        by_the_file(spec)
    assert caught.value.problems[-1].hint == hint
