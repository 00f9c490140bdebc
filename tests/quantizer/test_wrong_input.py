"""What is wrong with samples, with weights and with models: an error that says so, or a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import tflite

from tests.quantizer.float_models import (
    IMAGE,
    MODELS,
    ROW,
    SAME,
    STRIDES,
    chain,
    one,
    real,
    reals,
)
from tests.quantizer.outside import with_buffers_outside
from tests.quantizer.runs import by_oracles, drawn, graph_of, quantized, random_inputs
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import select_program
from tinyml_rules.errors import TinymlError, UnsupportedError
from tinyml_rules.ir.dtype import DType
from tinyml_rules.model_file.writer import ModelSpec, TensorSpec, build_model
from tinyml_rules.quantizer.quantize import quantize
from tinyml_rules.quantizer.request import Activations, Arrays, QuantizeRequest
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import default_search, load_target

DENSE = MODELS["FULLY_CONNECTED"]
ZEROS = np.zeros((3, 1, 12), np.float32)


def refused(spec: ModelSpec, arrays: Mapping[str, Any] | None = None) -> str:
    """The text of the error."""
    with pytest.raises(TinymlError) as caught:
        quantized(spec, arrays)
    return str(caught.value)


def equals_tflm(model: bytes) -> None:
    """The model runs, with the same bytes here and there."""
    graph = graph_of(model)
    inputs = random_inputs(graph)
    for mine, theirs in zip(by_oracles(graph, inputs), tflm_outputs(model, inputs), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.zeros((3, 1, 11), np.float32), "has shape [3, 1, 11], expected [samples, 12]"),
        (np.zeros((), np.float32), "has shape [], expected [samples, 12]"),
        (np.zeros((0, 1, 12), np.float32), "input 'x' has no samples, expected some"),
        (np.full((3, 1, 12), np.nan, np.float32), "in sample 0 that is no finite number"),
        (np.where(np.arange(3).reshape(3, 1, 1) == 1, np.inf, ZEROS), "a value in sample 1 that"),
        (np.zeros((3, 1, 12), np.int16), "input 'x' is int16, expected float32"),
        (np.full((3, 1, 12), 1e300), "in sample 0 that is no finite number"),
    ],
)
def test_wrong_samples(values: Any, expected: str) -> None:
    """Shape, count and values, by file, input and sample."""
    assert expected in (text := refused(DENSE, {"x": values}))
    assert text.startswith("cal.npz: error: ")


def test_several_inputs_go_by_name() -> None:
    """No array is taken for another; all have as many samples."""
    add = MODELS["ADD"]
    assert "one array, expected a .npz with 'x', 'y'" in refused(add, {"": ZEROS})
    assert "lacks 'y', expected a .npz with 'x', 'y'" in refused(add, {"x": ZEROS, "z": ZEROS})
    text = refused(add, {"x": ZEROS, "y": ZEROS[:2]})
    assert "inputs with different numbers of samples: [2, 3]" in text


def test_arrays_of_other_names() -> None:
    """The only one that fits is taken, not one of two."""
    given = drawn(DENSE)["x"]
    labels = np.zeros(len(given), np.int64)
    assert quantized(DENSE, {"x_cal": given, "y_cal": labels}).model == quantized(DENSE).model
    text = refused(DENSE, {"x_cal": given, "x_eval": given})
    assert "of which 2 fit input 'x', expected one" in text
    assert "hint: name the one that is meant 'x': [samples, 12]" in text


@pytest.mark.parametrize("count", [1, 2])
def test_few_samples(count: int) -> None:
    """Nothing is kept aside, and that is said."""
    found = quantized(DENSE, drawn(DENSE, count=count))
    assert any("too few different samples to hold some out" in str(note) for note in found.notes)
    equals_tflm(found.model)


@pytest.mark.parametrize("value", [0.0, 1.5, -3.0, 1e-30, 1e30])
def test_constant_samples(value: float) -> None:
    """All samples the same: a range from 0 to there, and a note."""
    found = quantized(DENSE, {"x": np.full((6, 1, 12), value, np.float32)})
    assert any("all samples of input 'x' are the same" in str(note) for note in found.notes)
    equals_tflm(found.model)


def test_bias_beyond_int32() -> None:
    """The weights' scale is widened, and that is said."""
    bias = TensorSpec("b", (7,), "float32", data=np.full(7, 1e6, np.float32))
    spec = one("FULLY_CONNECTED", [ROW, reals("w", (7, 12), scale=1e-6), bias], (1, 7))
    found = quantized(spec)
    assert "7 channels of weights tensor #1 'w' have a wider scale" in str(found.notes[0])
    equals_tflm(found.model)


@pytest.mark.parametrize("activations", list(Activations))
def test_hybrid_model(activations: Activations) -> None:
    """Integer weights of a float32 model are the numbers that they stand for, with a note."""
    integers = np.random.default_rng(2).integers(-127, 128, (7, 12)).astype(np.int8)
    filters = TensorSpec("w", (7, 12), "int8", (0.01,), (0,), data=integers)
    plain = TensorSpec("w", (7, 12), "float32", data=integers.astype(np.float32) * np.float32(0.01))
    hybrid, float32 = (one("FULLY_CONNECTED", [ROW, each], (1, 7)) for each in (filters, plain))
    found = quantized(hybrid, activations=activations)
    assert "hybrid model: integer weights of node 0 are converted" in str(found.notes[0])
    assert found.model == quantized(float32, activations=activations).model


def test_integer_model() -> None:
    """One that is quantized already is named as such."""
    model = quantized(DENSE).model
    with pytest.raises(UnsupportedError, match="the model is quantized already"):
        quantize(QuantizeRequest(model, "model", Arrays("cal.npz", drawn(DENSE))))


def test_deprecated_codes_alone() -> None:
    """Files of old converters have the operator's number in the old field only."""
    spec = MODELS["CONV_2D"]
    model = bytearray(build_model(spec))
    code = tflite.Model.GetRootAs(bytes(model)).OperatorCodes(0)
    table = code._tab
    place = table.Offset(10)  # builtin_code, the newer field
    assert place and code.DeprecatedBuiltinCode() == tflite.BuiltinOperator.CONV_2D
    vtable = table.Pos - int.from_bytes(model[table.Pos : table.Pos + 4], "little", signed=True)
    model[vtable + 10 : vtable + 12] = bytes(2)
    assert not tflite.Model.GetRootAs(bytes(model)).OperatorCodes(0)._tab.Offset(10)
    request = QuantizeRequest(bytes(model), "model", Arrays("cal.npz", drawn(spec)))
    assert quantize(request).model == quantized(spec).model


def test_buffers_outside_the_flatbuffer() -> None:
    """Values behind the file's end, as large files have them, come back inside, for TFLM."""
    spec = MODELS["FULLY_CONNECTED"]
    model = with_buffers_outside(spec)
    request = QuantizeRequest(model, "model", Arrays("cal.npz", drawn(spec)))
    found = quantize(request).model
    assert found == quantized(spec).model
    equals_tflm(found)


def test_unused_input() -> None:
    """It needs no samples, and stays an input."""
    spec = replace(DENSE, tensors=(*DENSE.tensors, real("idle", (1, 3))))
    spec = replace(spec, inputs=(*spec.inputs, len(spec.tensors) - 1))
    model = quantized(spec, {"x": drawn(DENSE)["x"]}).model
    assert [graph_of(model).tensors[index].name for index in graph_of(model).inputs] == [
        "x",
        "idle",
    ]
    equals_tflm(model)


def test_constant_output() -> None:
    """An output that is 0 whatever goes in."""
    zeros = TensorSpec("w", (7, 12), "float32", data=np.zeros((7, 12), np.float32))
    found = quantized(one("FULLY_CONNECTED", [ROW, zeros], (1, 7)))
    equals_tflm(found.model)


def test_operators_that_would_stay_float() -> None:
    """All of them at once, with what would help; kept between conversions where they may."""
    spec = chain(
        [
            ("SIN", [ROW], real("wave", (1, 12)), {}),
            (
                "FULLY_CONNECTED",
                [real("wave", (1, 12)), reals("w", (7, 12))],
                real("h", (1, 7)),
                {},
            ),
            ("FLOOR", [real("h", (1, 7))], real("result", (1, 7)), {}),
        ]
    )
    text = refused(spec)
    assert "node 0 (sin): error: SIN has no int8 form: tensor #1 'wave' would stay float32" in text
    assert "node 2 (floor): error: FLOOR has no int8 form: tensor #" in text
    assert text.count("hint: with --no-full-integer they stay float32") == 1
    graph = graph_of(quantized(spec, is_full_integer=False).model)
    ops = [node.op for node in graph.nodes]
    assert ops == [
        "dequantize",
        "sin",
        "quantize",
        "fully_connected",
        "dequantize",
        "floor",
        "quantize",
    ]
    model = quantized(spec, is_full_integer=False).model
    equals_tflm(model)
    request = Request(model, "model", load_target("host", search=default_search()))
    kernels = [step.kernel.name for step in select_program(request).steps]
    assert kernels[0] == kernels[2] == "lookup" and len(kernels) == 3  # as the hint says


@pytest.mark.parametrize("name", ["WHILE", "VAR_HANDLE", "CUSTOM"])
def test_what_is_not_handled(name: str) -> None:
    """Control flow, variables and custom operators, by node."""
    operands, result = [ROW], real("result", (1, 12))
    spec = one(name, operands, result)
    if name == "CUSTOM":
        operator = replace(spec.operators[0], custom_code="OWN")
        spec = replace(spec, operators=(operator,))
    assert "model: node 0 (" in refused(spec)


def test_lowest_values_around_a_maximum() -> None:
    """-FLT_MAX around what a maximum is taken of takes no part in the range, and is -128."""
    lowest = TensorSpec(
        "lowest", (1,), "float32", data=np.array([np.finfo(np.float32).min], np.float32)
    )
    pads = TensorSpec(
        "pads", (4, 2), "int32", data=np.array([(0, 0), (0, 1), (0, 1), (0, 0)], np.int32)
    )
    window = {"StrideW": 2, "StrideH": 2, "FilterWidth": 3, "FilterHeight": 3}
    window |= {"Padding": tflite.Padding.VALID}
    spec = chain(
        [
            ("PADV2", [IMAGE, pads, lowest], real("padded", (1, 7, 7, 4)), {}),
            ("MAX_POOL_2D", [real("padded", (1, 7, 7, 4))], real("result", (1, 3, 3, 4)), window),
        ]
    )
    graph = graph_of(quantized(spec).model)
    source = graph.tensors[graph.inputs[0]]
    assert source.dtype is DType.INT8 and source.scale < 0.1
    constant = next(each for each in graph.tensors if each.name == "lowest")
    assert constant.data is not None and constant.data.tolist() == [-128]
    equals_tflm(quantized(spec).model)


@pytest.mark.parametrize("dtype", ["complex64", "bool", "U3", "M8[s]"])
def test_samples_that_are_no_numbers(dtype: str) -> None:
    """By their type."""
    text = refused(DENSE, {"x": np.zeros((3, 1, 12), dtype)})
    assert f"input 'x' is {np.dtype(dtype)}, expected float32" in text


def test_values_that_overflow() -> None:
    """Infinity inside of the model, also where an operator clamps it to the highest float32."""
    huge = TensorSpec("w", (7, 12), "float32", data=np.full((7, 12), 1e38, np.float32))
    zeros = TensorSpec("c", (1, 12), "float32", data=np.zeros((1, 12), np.float32))
    for spec in (one("FULLY_CONNECTED", [ROW, huge], (1, 7)), one("DIV", [ROW, zeros], (1, 12))):
        text = refused(spec, {"x": 100 * np.abs(drawn(DENSE)["x"])})
        assert "'result' has a value that is not a finite number in sample 0" in text


def test_convolution_of_one_pixel() -> None:
    """A window larger than the image, and a channel of zeros."""
    filters = reals("w", (2, 3, 3, 1))
    assert isinstance(filters.data, np.ndarray)
    data = filters.data.copy()
    data[0] = 0
    operands = [real("x", (1, 1, 1, 1)), replace(filters, data=data), reals("b", (2,))]
    spec = one("CONV_2D", operands, (1, 1, 1, 2), {"Padding": SAME, **STRIDES})
    equals_tflm(quantized(spec).model)
