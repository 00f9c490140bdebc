"""What is known when a model is compiled is computed then, and what nobody needs is not judged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tflite

from tests.support.host import host, program_of, run_on_host, samples_and_truth
from tests.support.stages import passed, selected
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.ops._shared.cases.case import constant, int32s, quantized, typed
from tinyml_rules.ops.add.cases import add
from tinyml_rules.ops.relu.cases import relu
from tinyml_rules.request.request import Request

SCALAR = {"ShrinkAxisMask": 1}


def with_open_batch() -> ModelSpec:
    """What a converter makes of Reshape((2, 3)) where the batch is open."""
    tensors = (
        replace(quantized("input", (1, 6)), shape_signature=(-1, 6)),
        typed("shape", (2,), "int32"),
        int32s("begin", [0]),
        int32s("end", [1]),
        int32s("strides", [1]),
        typed("batch", (), "int32"),
        int32s("height", 2),
        int32s("width", 3),
        typed("new_shape", (3,), "int32"),
        replace(quantized("output", (1, 2, 3)), shape_signature=(-1, 2, 3)),
    )
    operators = (
        OperatorSpec("SHAPE", (0,), (1,), {"OutType": tflite.TensorType.INT32}),
        OperatorSpec("STRIDED_SLICE", (1, 2, 3, 4), (5,), SCALAR),
        OperatorSpec("PACK", (5, 6, 7), (8,), {"ValuesCount": 3}),
        OperatorSpec("RESHAPE", (0, 8), (9,), options_table=""),
    )
    return ModelSpec(tensors, operators, (0,), (9,))


def test_a_shape_of_an_open_batch_is_a_constant() -> None:
    """Nothing runs: the reshape lies where its input does."""
    graph = passed(with_open_batch())
    (node,) = graph.nodes
    assert node.op == "reshape"
    shape = graph.tensors[8].data
    assert shape is not None
    assert shape.tolist() == [1, 2, 3]
    assert shape.dtype == "int32"
    assert program_of(build_model(with_open_batch())).steps == ()


def test_a_shape_of_an_open_batch_gives_the_same_bytes(tmp_path: Path) -> None:
    file = build_model(with_open_batch())
    compiled = compile_model(Request(file, "model", host()))
    samples, truth = samples_and_truth(file, count=3)
    found = run_on_host(compiled.files, compiled.interface, samples, folder=tmp_path)
    assert found == truth


def test_a_sum_of_constants_is_a_constant(tmp_path: Path) -> None:
    """It is added to the input as one more constant, which is TFLM's."""
    one, two = (
        constant(name, values, scales=(0.5,), zero_point=3)
        for name, values in (("one", [[1, -128, 7]]), ("two", [[127, 5, -9]]))
    )
    tensors = (one, two, quantized("sum", (1, 3)), quantized("input", (1, 3)))
    model = ModelSpec(
        (*tensors, quantized("output", (1, 3), scale=1.0)),
        (OperatorSpec("ADD", (0, 1), (2,)), OperatorSpec("ADD", (2, 3), (4,))),
        (3,),
        (4,),
    )
    file = build_model(model)
    (node,) = passed(model).nodes
    assert node.index == 1
    compiled = compile_model(Request(file, "model", host()))
    samples, truth = samples_and_truth(file, count=4)
    found = run_on_host(compiled.files, compiled.interface, samples, folder=tmp_path)
    assert found == truth


def test_a_scalar_of_constants_is_a_table_of_one_value(tmp_path: Path) -> None:
    """numpy makes a number of it, but a table of a kernel is an array."""
    one = constant("one", 23, scales=(0.5,), zero_point=3)
    model = ModelSpec(
        (
            one,
            quantized("scalar", (), scale=0.25),
            quantized("input", (3,)),
            typed("is_less", (3,), "bool"),
        ),
        (OperatorSpec("QUANTIZE", (0,), (1,), version=2), OperatorSpec("LESS", (2, 1), (3,))),
        (2,),
        (3,),
    )
    file = build_model(model)
    compiled = compile_model(Request(file, "model", host()))
    samples, truth = samples_and_truth(file, count=4)
    found = run_on_host(compiled.files, compiled.interface, samples, folder=tmp_path)
    assert found == truth


def _beside_relu(model: ModelSpec) -> ModelSpec:
    """The model, whose inputs are all constants, and a RELU of an input."""
    first = len(model.tensors)
    return replace(
        model,
        tensors=(*model.tensors, *relu().tensors),
        operators=(*model.operators, OperatorSpec("RELU", (first,), (first + 1,))),
        inputs=(first,),
        outputs=(*model.outputs, first + 1),
    )


def test_a_constant_that_is_an_output_is_copied_out(tmp_path: Path) -> None:
    model = _beside_relu(add((1, 3), (1, 3), constants=(True, True)))
    file = build_model(model)
    assert [node.op for node in passed(model).nodes] == ["relu"]
    compiled = compile_model(Request(file, "model", host()))
    samples, truth = samples_and_truth(file, count=3)
    found = run_on_host(compiled.files, compiled.interface, samples, folder=tmp_path)
    assert found == truth


def _with_unknown(*, is_needed: bool) -> ModelSpec:
    """A RELU, and a node that this compiler does not have on the same input."""
    model = relu()
    result = TensorSpec("strange", (1,), "int8")
    unknown = OperatorSpec("CUSTOM", (0,), (len(model.tensors),), custom_code="Strange")
    outputs = (*model.outputs, len(model.tensors)) if is_needed else model.outputs
    return replace(
        model,
        tensors=(*model.tensors, result),
        operators=(*model.operators, unknown),
        outputs=outputs,
    )


def test_an_unknown_operator_that_nobody_needs_is_left_out() -> None:
    (node,) = passed(_with_unknown(is_needed=False)).nodes
    assert node.op == "relu"


def test_an_unknown_operator_that_is_needed_is_refused() -> None:
    with pytest.raises(UnsupportedError) as caught:
        passed(_with_unknown(is_needed=True))
    (problem,) = caught.value.problems
    assert problem.what == "missing operators: custom 'Strange' (node 1)"


def test_a_wrong_node_stays_for_the_check() -> None:
    """Constants in a sum that has another shape than it can have."""
    model = add((1, 3), (1, 3), constants=(True, True))
    wrong = replace(model.tensors[2], shape=(1, 4))
    broken = _beside_relu(replace(model, tensors=(*model.tensors[:2], wrong)))
    with pytest.raises(UnsupportedError) as caught:
        passed(broken)
    (problem,) = caught.value.problems
    assert problem.what == "output tensor #2 'output' has shape [1, 4], expected [1, 3]"


def test_a_constant_without_dimensions_stays_an_array() -> None:
    """numpy computes a scalar of it, which has no place among a kernel's tables."""
    value = TensorSpec("value", (), scales=(0.5,), zero_points=(0,), data=np.array(9, np.int8))
    tensors = (
        *(quantized("input", (4,)), value, quantized("moved", (), scale=0.5, zero_point=0)),
        quantized("output", (4,)),
    )
    operators = (
        OperatorSpec("QUANTIZE", (1,), (2,), version=2),
        OperatorSpec("MINIMUM", (0, 2), (3,)),
    )
    (step,) = selected(ModelSpec(tensors, operators, (0,), (3,))).steps
    assert step.tables["constant"].values.tolist() == 9
