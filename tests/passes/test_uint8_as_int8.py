"""Models of uint8, as TensorFlow 1 has them: LiteRT's bytes from numpy and from C, uint8 at the
ends, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.operator_cases import (
    cases_of,
    expected_bytes,
    file_of,
    graph_of,
    litert_bytes,
    oracle_bytes,
    result_bytes,
    sample_bytes,
)
from tests.support.stages import passed
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.dtype import DType
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import Case, Reference, random_case, with_tensor
from tinyml_rules.ops._shared.cases.uint8 import as_uint8, in_uint8, weighted_in_uint8
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.resize_bilinear.cases import resize_bilinear
from tinyml_rules.ops.transpose_conv.cases import transpose_conv
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

MOVED_OR_MAPPED = (
    *(
        "add",
        "concatenation",
        "equal",
        "gelu",
        "greater",
        "hard_swish",
        "leaky_relu",
        "log_softmax",
    ),
    *("max_pool_2d", "maximum", "mean", "minimum", "mul", "pad", "prelu", "quantize", "relu"),
    *("relu6", "reshape", "resize_nearest_neighbor", "select_v2", "softmax", "split"),
    *("strided_slice", "sub", "sum", "transpose"),
)
"""Operators of which some cases are tried that are not of uint8 in their own folders."""
OF_EACH = 4


class Network:
    """Tensors and nodes of a random model, one after the other."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.tensors: list[TensorSpec] = []
        self.nodes: list[OperatorSpec] = []

    def number(self, least: int, most: int) -> int:
        return int(self.random.integers(least, most + 1))

    def tensor(self, shape: tuple[int, ...], **more: Any) -> int:
        scale = float(np.float32(self.random.uniform(0.01, 0.1)))
        how = {"dtype": "uint8", "scales": (scale,), "zero_points": (self.number(0, 255),)}
        self.tensors.append(TensorSpec(f"t{len(self.tensors)}", shape, **{**how, **more}))
        return len(self.tensors) - 1

    def node(self, name: str, inputs: tuple[int, ...], result: int, **options: Any) -> int:
        self.nodes.append(OperatorSpec(name, inputs, (result,), options))
        return result

    def summed(
        self,
        name: str,
        source: int,
        kernel: tuple[int, ...],
        shape: tuple[int, ...],
        axis: int,
        **options: Any,
    ) -> int:
        """A node with weights and a bias, whose results fill uint8."""
        data = self.random.integers(0, 256, kernel).astype(np.uint8)
        scale = float(np.float32(self.random.uniform(0.002, 0.02)))
        weights = self.tensor(kernel, data=data, scales=(scale,))
        product = float(np.float32(self.tensors[source].scales[0]) * np.float32(scale))
        biases = self.random.integers(-4000, 4000, kernel[axis]).astype(np.int32)
        bias = self.tensor(
            (kernel[axis],), dtype="int32", scales=(product,), zero_points=(0,), data=biases
        )
        terms = data.size / kernel[axis]
        wide = float(np.float32(product * 60 * np.sqrt(terms) * self.random.uniform(0.7, 2)))
        result = self.tensor(shape, scales=(wide,))
        return self.node(name, (source, weights, bias), result, **options)

    def reshaped(self, source: int, shape: tuple[int, ...], **kept: Any) -> int:
        data = np.array(shape, np.int32)
        size = self.tensor((len(shape),), dtype="int32", scales=(), zero_points=(), data=data)
        return self.node("RESHAPE", (source, size), self.tensor(shape, **kept))

    def block(self, source: int) -> int:
        """A depthwise convolution and one by pixels, as in MobileNet."""
        _, height, width, channels = self.tensors[source].shape
        step, outputs = self.number(1, 2), self.number(1, 9)
        rows, columns = -(-height // step), -(-width // step)
        moves = {"Padding": 0, "DilationWFactor": 1, "DilationHFactor": 1}
        seen = self.summed(
            "DEPTHWISE_CONV_2D",
            source,
            (1, 3, 3, channels),
            (1, rows, columns, channels),
            3,
            **moves,
            StrideW=step,
            StrideH=step,
            DepthMultiplier=1,
            FusedActivationFunction=3,
        )
        return self.summed(
            "CONV_2D",
            seen,
            (outputs, 1, 1, channels),
            (1, rows, columns, outputs),
            0,
            **moves,
            StrideW=1,
            StrideH=1,
            FusedActivationFunction=self.number(0, 1),
        )

    def model(self, source: int, *results: int) -> ModelSpec:
        return ModelSpec(tuple(self.tensors), tuple(self.nodes), (source,), results)


def classifier(seed: int) -> ModelSpec:
    """Blocks, a residual, an average, a dense layer and SOFTMAX."""
    net = Network(seed)
    image = net.tensor((1, net.number(3, 8), net.number(3, 8), net.number(1, 5)))
    seen = net.block(net.block(image))
    shape = net.tensors[seen].shape
    doubled = net.node("ADD", (seen, seen), net.tensor(shape), FusedActivationFunction=0)
    same = {"scales": net.tensors[doubled].scales, "zero_points": net.tensors[doubled].zero_points}
    size = {"FilterHeight": shape[1], "FilterWidth": shape[2], "StrideW": 1, "StrideH": 1}
    mean = net.node(
        "AVERAGE_POOL_2D",
        (doubled,),
        net.tensor((1, 1, 1, shape[3]), **same),
        Padding=1,
        FusedActivationFunction=0,
        **size,
    )
    flat = net.reshaped(mean, (1, shape[3]), **same)
    dense = net.summed("FULLY_CONNECTED", flat, (7, shape[3]), (1, 7), 0, FusedActivationFunction=0)
    odds = net.tensor((1, 7), scales=(1 / 256,), zero_points=(0,))
    return net.model(image, net.node("SOFTMAX", (dense,), odds, Beta=1.0))


def detector(seed: int) -> ModelSpec:
    """Two maps of boxes and classes, joined; LOGISTIC of the classes."""
    net = Network(seed)
    image = net.tensor((1, net.number(4, 8), net.number(4, 8), net.number(1, 4)))
    first = net.block(image)
    second = net.block(first)
    kept = {"scales": (0.05,), "zero_points": (net.number(60, 200),)}
    heads = []
    for seen in (first, second):
        _, height, width, channels = net.tensors[seen].shape
        made = net.summed(
            "CONV_2D",
            seen,
            (4, 3, 3, channels),
            (1, height, width, 4),
            0,
            Padding=0,
            StrideW=1,
            StrideH=1,
            DilationWFactor=1,
            DilationHFactor=1,
            FusedActivationFunction=0,
        )
        net.tensors[made] = with_tensor(net.model(image), made, **kept).tensors[made]
        heads.append(net.reshaped(made, (1, height * width, 4), **kept))
    count = sum(net.tensors[each].shape[1] for each in heads)
    boxes = net.tensor((1, count, 4), **kept)
    net.node("CONCATENATION", tuple(heads), boxes, Axis=1, FusedActivationFunction=0)
    odds = net.tensor((1, count, 4), scales=(1 / 256,), zero_points=(0,))
    return net.model(image, boxes, net.node("LOGISTIC", (boxes,), odds))


def networks(make: Callable[[int], ModelSpec], count: int) -> dict[str, Case]:
    return {
        f"{make.__name__}_{seed}": random_case(make(seed), seed=seed, reference=Reference.LITERT)
        for seed in range(count)
    }


def test_networks_in_numpy() -> None:
    """Every byte of many of them is LiteRT's."""
    for name, case in {**networks(classifier, 12), **networks(detector, 12)}.items():
        graph = graph_of(case, name=name)
        assert graph.is_of_uint8
        assert {graph.tensors[each].dtype for each in (*graph.inputs, *graph.outputs)} == {
            DType.UINT8
        }
        assert result_bytes(case, graph, oracle_bytes(case, graph)) == expected_bytes(case), name


@pytest.mark.parametrize("target_name", [SANITIZED, "atmega1284p", "nrf52840"])
def test_networks_in_c(target_name: str, tmp_path: Path) -> None:
    """The same in C, of some of them."""
    cases = {**networks(classifier, 3), **networks(detector, 3)}
    graphs = {name: graph_of(case, name=name) for name, case in cases.items()}
    jobs = [
        Job(name, file_of(each), sample_bytes(each, graphs[name])) for name, each in cases.items()
    ]
    outputs = run_combined(target_or_skip(target_name), jobs, folder=tmp_path)
    assert len(outputs) == len(cases)
    for name, found in outputs.items():
        assert result_bytes(cases[name], graphs[name], found) == expected_bytes(cases[name]), name


@pytest.mark.parametrize("operator", MOVED_OR_MAPPED)
def test_cases_of_int8(operator: str) -> None:
    """Some cases of int8 with uint8 in its place, where LiteRT takes them."""
    compared = 0
    for name, case in cases_of(operator).items():
        tensors = case.model.tensors
        is_plain = {each.dtype for each in tensors if each.scales} == {"int8"}
        if not is_plain or any(each.dtype == "float32" for each in tensors):
            continue
        changed = as_uint8(case)
        if litert_bytes(changed) is None:
            continue
        graph = graph_of(changed, name="model")
        assert result_bytes(changed, graph, oracle_bytes(changed, graph)) == litert_bytes(
            changed
        ), name
        compared += 1
        if compared == OF_EACH:
            break
    assert compared


def test_interface() -> None:
    """The header has uint8, with the scale and the zero point of the file."""
    model = weighted_in_uint8(conv(), 90)
    request = Request.of(file_of(random_case(model)), "m", load_target("host"), {})
    compiled = compile_model(request)
    (source,), (result,) = compiled.interface.inputs, compiled.interface.outputs
    assert (source.dtype, result.dtype) == (DType.UINT8, DType.UINT8)
    assert (source.scale, source.zero_point) == (0.5, 121)
    assert "uint8_t *m_input(void)" in compiled.files["m.h"]
    assert not compiled.warnings


def test_models_of_other_types_stay() -> None:
    """Nothing is read as another type where no node is refused for uint8."""
    mean = as_uint8(next(iter(cases_of("mean").values())))
    for case in (mean, random_case(conv())):
        assert not graph_of(case, name="model").is_of_uint8


REFUSED = {
    "weights_per_axis": (
        with_tensor(in_uint8(conv()), 1, scales=(0.5, 0.25, 0.5), zero_points=(90, 90, 90), axis=0),
        "weights tensor #1 'weights' is uint8, expected int8 or int4",
    ),
    "transposed_with_zero_point": (
        weighted_in_uint8(transpose_conv(), 90),
        "weights tensor #1 'weights' has a zero point that is not 0",
    ),
    "int8_and_uint8": (
        with_tensor(conv(), 3, dtype="uint8"),
        "output tensor #3 'output' is uint8, expected int8",
    ),
    "resized_by_parts": (
        in_uint8(resize_bilinear(size=(7, 8))),
        "7 from 3 rows or columns of input tensor #3 'input' of uint8, expected steps of a "
        "multiple of 1/64: LiteRT computes others in float32",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    """In one line."""
    model, what = REFUSED[name]
    with pytest.raises(UnsupportedError) as caught:
        passed(model)
    assert [each.what for each in caught.value.problems] == [what]
