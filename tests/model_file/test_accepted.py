"""What the reader makes of sound files, the oddities of real ones included."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from tests.conftest import ZooModel
from tests.model_file.small import DATA, MODEL, operators
from tests.support.patch import patch, subgraph_table, target_position
from tests.support.raw_model import RELU_CODE, RawModel, build_raw
from tests.support.stages import read
from tinyml_rules.ir.dtype import DType
from tinyml_rules.model_file.writer import OperatorSpec, TensorSpec
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import with_tensor
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.ops.fully_connected.op import Attrs


def test_whole_graph() -> None:
    """Tensors, constants, options and the hash of a small model."""
    graph = read(MODEL)
    assert (graph.inputs, graph.outputs, len(graph.tensors)) == ((0,), (3,), 4)
    weights, node = graph.tensors[1], graph.nodes[0]
    assert (weights.name, weights.shape, weights.dtype) == ("weights", (6, 10), DType.INT8)
    np.testing.assert_array_equal(weights.data, MODEL.tensors[1].data)
    assert graph.tensors[0].quantization is not None
    assert (graph.tensors[0].scale, graph.tensors[0].zero_point) == (0.5, -7)
    assert (node.op, node.version, node.inputs, node.outputs) == (
        "fully_connected",
        4,
        (0, 1, 2),
        (3,),
    )
    assert node.attrs == Attrs(activation=0, weights_format=0, keep_num_dims=False)
    assert graph.sha256 == hashlib.sha256(DATA).hexdigest()


def test_open_batch() -> None:
    """A batch of -1 in shape_signature is the 1 of the shape."""
    graph = read(with_tensor(MODEL, 0, shape_signature=(-1, 10)))
    assert graph.tensors[0].shape == (1, 10)


def test_bias_along_dimension_3(zoo_model: ZooModel) -> None:
    """person_detect's biases are vectors, quantized along dimension 3: there is only one."""
    model = with_tensor(MODEL, 2, scales=(1.0,) * 6, zero_points=(0,) * 6, axis=3)
    quantization = read(model).tensors[2].quantization
    assert quantization is not None
    assert quantization.axis == 0
    graph = read(zoo_model("person_detect").read_bytes(), name="person_detect")
    biases = [tensor for tensor in graph.tensors if tensor.dtype is DType.INT32]
    assert any(tensor.quantization and tensor.quantization.is_per_axis for tensor in biases)


def test_zero_points_left_out() -> None:
    """They are 0, as many as there are scales; a single one is for all."""
    for zero_points, expected in (((), (0,) * 6), ((0,), (0,) * 6)):
        model = with_tensor(MODEL, 1, scales=(1.0,) * 6, zero_points=zero_points)
        quantization = read(model).tensors[1].quantization
        assert quantization is not None
        assert quantization.zero_points == expected


def test_operand_left_out() -> None:
    """-1 is no operand; a list that ends early likewise."""
    assert read(dense(bias_size=None)).nodes[0].inputs == (0, 1, None)
    assert read(operators(OperatorSpec("FULLY_CONNECTED", (0, 1), (3,)))).nodes[0].inputs == (0, 1)


def test_options_left_out() -> None:
    """Every field has its default."""
    model = operators(OperatorSpec("FULLY_CONNECTED", (0, 1), (3,), {}, ""))
    assert read(model).nodes[0].attrs == Attrs()


@pytest.mark.parametrize("codes", [(RELU_CODE, RELU_CODE), (RELU_CODE, None), (None, RELU_CODE)])
def test_operator_codes(codes: tuple[int | None, int | None]) -> None:
    """Old files have the first code alone; version 1 is the default."""
    (node,) = read(build_raw(RawModel(codes=codes, has_version=False))).nodes
    assert (node.op, node.version) == ("relu", 1)


def test_names_of_unknown_operators() -> None:
    """For an error: as the schema calls them, the custom name, or the number."""
    names = {
        "batch_matmul": OperatorSpec("BATCH_MATMUL", (0,), (3,)),
        "broadcast_to": OperatorSpec("BROADCAST_TO", (0,), (3,), version=2),
        "custom 'My\\nOp'": OperatorSpec("CUSTOM", (0,), (3,), custom_code="My\nOp"),
    }
    for name, operator in names.items():
        assert read(operators(operator)).nodes[0].op == name
    assert read(build_raw(RawModel(codes=(127, 9999)))).nodes[0].op == "unknown 9999"


def test_bytes_behind_the_flatbuffer() -> None:
    """Where files of more than 2 GB keep their constants."""
    size = len(build_raw(RawModel(external=(100_000, 4))))
    data = build_raw(RawModel(external=(size, 4))) + bytes([1, 2, 255, 128])
    values = read(data).tensors[2].data
    assert values is not None
    assert values.tolist() == [1, 2, -1, -128]


def test_name_that_is_not_utf_8() -> None:
    """It is read with the usual replacement."""
    data = patch(DATA, target_position(subgraph_table(DATA).Tensors(0), 3) + 4, "B", 0xFF)
    assert read(data).tensors[0].name == "\ufffdnput"


def test_scalar_and_tensor_without_quantization() -> None:
    """An empty shape is a scalar, no scale is no quantization."""
    tensor = read(with_tensor(MODEL, 0, shape=(), scales=(), zero_points=())).tensors[0]
    assert (tensor.shape, tensor.count, tensor.quantization) == ((), 1, None)


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        ("float32", [1.5, -2.0]),
        ("float16", [0.5, 1.0]),
        ("int16", [-300, 300]),
        ("int64", [2**40, -1]),
        ("uint8", [0, 255]),
        ("bool", [True, False]),
    ],
)
def test_types_of_constants(dtype: str, values: list[float]) -> None:
    """Each is held in numpy's type of the same name."""
    spec = TensorSpec("extra", (2,), dtype, data=np.array(values, dtype))
    graph = read(replace(MODEL, tensors=(*MODEL.tensors, spec)))
    data = graph.tensors[4].data
    assert data is not None
    assert (str(data.dtype), data.tolist()) == (dtype, values)


@pytest.mark.parametrize("name", ["sine", "speech", "kws", "ad", "person_detect"])
def test_zoo(name: str, zoo_model: ZooModel) -> None:
    """Real files are read, all nodes with operators that exist."""
    graph = read(zoo_model(name).read_bytes(), name=name)
    assert {node.op for node in graph.nodes} <= builtin_operators().keys()
    assert all(node.attrs is not None for node in graph.nodes if node.op == "conv_2d")
