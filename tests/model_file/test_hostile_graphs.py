"""Sub-graphs, variables, options of custom operators and int4 in files that are broken or absurd:
each ends in one clear error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support.stages import checked, passed, read
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import DoesNotFitError, TinymlError
from tinyml_rules.model_file.flexbuffer import BrokenOptionsError, read_options
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.ops._shared.cases.case import quantized
from tinyml_rules.ops._shared.cases.variables import running_sum
from tinyml_rules.ops.while_.cases import loop
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target


def error_of(model: ModelSpec) -> str:
    """What the compiler says."""
    with pytest.raises(TinymlError) as caught:
        passed(model)
    return str(caught.value)


@pytest.mark.parametrize("number", [0, 3, -1, 2**31 - 1])
def test_number_of_a_sub_graph(number: int) -> None:
    """One that there is not, or the model itself."""
    options = {"CondSubgraphIndex": number, "BodySubgraphIndex": 2}
    (node,) = loop().operators
    model = replace(loop(), operators=(replace(node, options=options),))
    assert error_of(model).startswith(
        f"model: node 0 (while): error: runs sub-graph {number}, of 3"
    )


def test_graph_that_runs_itself() -> None:
    """Through its body."""
    condition, body = loop().others
    options = {"CondSubgraphIndex": 1, "BodySubgraphIndex": 2}
    again = OperatorSpec("WHILE", (0, 1), (4, 5), options)
    model = replace(loop(), others=(condition, replace(body, operators=(again,))))
    assert "runs itself: 2 calls 2" in error_of(model)


def test_index_inside_a_sub_graph() -> None:
    """The error names the graph."""
    condition, body = loop().others
    broken = replace(condition, operators=(OperatorSpec("CAST", (7,), (2,)),))
    with pytest.raises(TinymlError) as caught:
        read(replace(loop(), others=(broken, body)))
    assert "model: sub-graph 1" in str(caught.value)
    assert "input tensor #7 of 3" in str(caught.value)


def test_start_that_computes() -> None:
    """CALL_ONCE of a graph that does more than to assign constants."""
    model = running_sum(np.zeros((1, 6), np.int8))
    (start,) = model.others
    tensors = (*start.tensors, quantized("copy", (1, 6)))
    relu = OperatorSpec("RELU", (1,), (2,))
    assign = replace(start.operators[1], inputs=(0, 2))
    given = replace(start, tensors=(*tensors,), operators=(start.operators[0], relu, assign))
    passed(replace(model, others=(given,)))  # RELU of a constant is a constant
    unknown = replace(given, tensors=(*start.tensors[:1], quantized("x", (1, 6)), tensors[2]))
    unknown = replace(unknown, inputs=(1,))
    text = error_of(replace(model, others=(unknown,)))
    assert text == (
        "model: node 0 (call_once): error: sub-graph 1 does more than to assign constants to "
        "variables, which is not supported"
    )


def test_start_with_a_value_of_another_shape() -> None:
    """Nothing would be assigned, and the variable would begin with zeros."""
    model, other = (running_sum(np.zeros((1, count), np.int8)) for count in (6, 7))
    model = replace(model, tensors=running_sum(shape=(1, 6)).tensors, others=other.others)
    assert error_of(model) == (
        "model: node 0 (call_once): error: sub-graph 1 assigns variable 'sum' int8 [1, 7], "
        "expected int8 [1, 6]"
    )


def test_variable_of_another_shape() -> None:
    """What is assigned is not what is read."""
    model = running_sum()
    tensors = list(model.tensors)
    tensors[2] = quantized("old", (6,))
    assert "tensor #3 'new' has shape [1, 6], expected [6]" in error_of(
        replace(model, tensors=tuple(tensors))
    )


def test_handle_from_nowhere() -> None:
    """A variable that no VAR_HANDLE of the graph names."""
    model = running_sum()
    text = error_of(replace(model, inputs=(0, 1), operators=model.operators[1:]))
    assert "expected a variable that VAR_HANDLE names" in text


def test_variable_of_absurd_size() -> None:
    """It is a matter of the part's memory."""
    model = running_sum()
    shape = (1, 2**22)
    tensors = tuple(
        tensor if tensor.dtype == "resource" else replace(tensor, shape=shape)
        for tensor in model.tensors
    )
    data = build_model(replace(model, tensors=tensors))
    with pytest.raises(DoesNotFitError) as caught:
        compile_model(Request(data, "model", load_target("nrf52840")))
    assert "of RAM for the model alone" in str(caught.value)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x01", "a broken FlexBuffer"),
        (b"\xff" * 40, "a broken FlexBuffer"),
        (b"\x07\x04\x01", "not a FlexBuffer map"),
        (bytes(70_000), "70,000 bytes, expected at most 65,536"),
    ],
)
def test_broken_options(data: bytes, text: str) -> None:
    """Of a custom operator."""
    with pytest.raises(BrokenOptionsError, match=text):
        read_options(data)


def test_mutated_options() -> None:
    """Any change of a byte gives other options, or that one error."""
    from flatbuffers import flexbuffers  # noqa: PLC0415 - only here

    builder = flexbuffers.Builder()
    with builder.Map():
        builder.Int("rate", 3)
        builder.Float("slope", 1.5)
        builder.String("name", "it")
    data = bytes(builder.Finish())
    assert read_options(data) == {"rate": 3, "slope": 1.5, "name": "it"}
    generator = np.random.default_rng(1)
    refused = 0
    for _ in range(2000):
        copy = bytearray(data)
        copy[int(generator.integers(len(copy)))] = int(generator.integers(256))
        try:
            read_options(bytes(copy))
        except BrokenOptionsError:
            refused += 1
    assert refused > 100


def int4_model(data: bytes) -> ModelSpec:
    """RELU, and a spare constant of three int4."""
    tensors = (
        quantized("x", (1, 4)),
        quantized("y", (1, 4)),
        TensorSpec("spare", (3,), "int4", scales=(1.0,), zero_points=(0,), data=data),
    )
    return ModelSpec(tensors, (OperatorSpec("RELU", (0,), (1,)),), (0,), (1,))


def test_int4_of_odd_count() -> None:
    """Two a byte, the lower half first; the last half is not used."""
    found = read(int4_model(bytes((0x9F, 0x71)))).tensors[2].data
    assert found is not None
    assert found.dtype == np.int8
    assert found.tolist() == [-1, -7, 1]
    with pytest.raises(TinymlError, match="needs 2 bytes, but its buffer has 3"):
        read(int4_model(bytes(3)))


def test_tensor_of_no_values_that_nobody_reads() -> None:
    """Converters write intermediates of shape [0]."""
    model = int4_model(bytes(2))
    spare = TensorSpec("intermediate", (0,), "int16", scales=(0.5,), zero_points=(0,))
    graph = checked(replace(model, tensors=(*model.tensors[:2], spare)))
    assert graph.tensors[2].count == 0


def test_versions_do_not_matter() -> None:
    """Types and options say what an operator needs."""
    model = int4_model(bytes(2))
    (relu,) = model.operators
    checked(replace(model, operators=(replace(relu, version=99),)))
