"""Scales of int16, single tensors of int16 in a model of int8, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.quantizer.float_models import IMAGE, MODELS, ROW, SAME, STRIDES, chain, ints, real, reals
from tests.quantizer.runs import drawn, graph_of, quantized
from tests.quantizer.test_command_line import NETWORK
from tests.quantizer.test_wrong_input import equals_tflm
from tinyml_rules.errors import TinymlError
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Tensor
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.quantizer.request import Activations


def types(graph: Graph) -> list[tuple[str, ...]]:
    """Each node with the types of its computed tensors."""
    return [
        (
            node.op,
            *(
                str(graph.tensors[index].dtype)
                for index in (node.inputs[0], *node.outputs)
                if index is not None
            ),
        )
        for node in graph.nodes
    ]


def called(graph: Graph, name: str) -> Tensor:
    """The tensor of this name."""
    (found,) = (each for each in graph.tensors if each.name == name)
    return found


def test_scales_and_costs() -> None:
    """A range has the values on both sides of 0, perhaps with a margin; twice the bytes for
    tensors, and the ends are int16."""
    found = quantized(NETWORK, activations=Activations.INT16)
    graph = graph_of(found.model)
    most = float(np.abs(drawn(NETWORK)["x"]).max())
    source = called(graph, "x")
    assert source.dtype is DType.INT16
    assert most / 32767 <= source.scale <= most / 32767 * 1.25
    costs = found.report["figures"]
    assert costs["int16"]["arena_bytes"] >= 2 * costs["int8"]["arena_bytes"] - 32
    assert costs["int16"]["sqnr_db"] > costs["int8"]["sqnr_db"]


def test_one_tensor() -> None:
    """What makes it and what reads it compute with int16, all else stays as it is."""
    graph = graph_of(quantized(NETWORK, int16=("features",)).model)
    assert types(graph)[:4] == [
        ("quantize", "int8", "int16"),
        ("conv_2d", "int16", "int16"),
        ("fully_connected", "int16", "int16"),
        ("quantize", "int16", "int8"),
    ]
    assert types(graph)[4:] == [("softmax", "int8", "int8")]
    equals_tflm(quantized(NETWORK, int16=("features",)).model)


def test_an_input() -> None:
    """It comes in int16; the first layer alone computes with that."""
    graph = graph_of(quantized(NETWORK, int16=("x",)).model)
    assert called(graph, "x").dtype is DType.INT16
    assert types(graph) == [
        ("conv_2d", "int16", "int16"),
        ("quantize", "int16", "int8"),
        ("fully_connected", "int8", "int8"),
        ("softmax", "int8", "int8"),
    ]


MOVED = chain(
    [
        (
            "CONV_2D",
            [IMAGE, reals("w", (5, 3, 3, 4)), reals("b", (5,))],
            real("features", (1, 6, 6, 5)),
            {"Padding": SAME, **STRIDES},
        ),
        (
            "RESHAPE",
            [real("features", (1, 6, 6, 5)), ints("shape", (1, 180))],
            real("row", (1, 180)),
            {},
        ),
        ("FULLY_CONNECTED", [real("row", (1, 180)), reals("v", (3, 180))], real("y", (1, 3)), {}),
    ]
)


@pytest.mark.parametrize("name", ["features", "row"])
def test_moved_values(name: str) -> None:
    """What only moves the tensor's values hands them on in int16."""
    graph = graph_of(quantized(MOVED, int16=(name,)).model)
    wanted = ["quantize", "conv_2d", "reshape", "fully_connected", "quantize"]
    assert [node.op for node in graph.nodes] == wanted
    assert called(graph, "row").dtype is called(graph, "features").dtype is DType.INT16


def test_operators_without_int16() -> None:
    """They stay int8 behind QUANTIZE, with a note; what only moves values between two of them does
    too."""
    normalized, shaped = real("n", (1, 12)), real("s", (12, 1))
    spec = chain(
        [
            ("FULLY_CONNECTED", [ROW, reals("w", (12, 12))], real("f", (1, 12)), {}),
            ("L2_NORMALIZATION", [real("f", (1, 12))], normalized, {}),
            ("RESHAPE", [normalized, ints("to", (12, 1))], shaped, {}),
            ("L2_NORMALIZATION", [shaped], real("y", (12, 1)), {}),
        ]
    )
    found = quantized(spec, activations=Activations.INT16)
    note = "node 1 (L2_NORMALIZATION), node 2 (RESHAPE), node 3 (L2_NORMALIZATION) stay int8"
    assert note in str(found.notes[0])
    assert types(graph_of(found.model)) == [
        ("fully_connected", "int16", "int16"),
        ("quantize", "int16", "int8"),
        ("l2_normalization", "int8", "int8"),
        ("reshape", "int8", "int8"),
        ("l2_normalization", "int8", "int8"),
    ]
    equals_tflm(found.model)


@pytest.mark.parametrize(
    ("spec", "options", "expected"),
    [
        (
            NETWORK,
            {"int16": ("featurs",)},
            "model: error: int16: no tensor 'featurs' is computed, expected a tensor of the report"
            "\n  hint: did you mean 'features'?",
        ),
        (
            MODELS["L2_NORMALIZATION"],
            {"int16": ("x",)},
            "model: node 0 (l2_normalization): error: L2_NORMALIZATION, which reads tensor #0 'x' "
            "of int16 = x, has no int16 form: input tensor #0 'x' is int16, expected int8",
        ),
        (
            MODELS["L2_NORMALIZATION"],
            {"activations": Activations.INT16},
            "no operator of the model has an int16 form; the first is L2_NORMALIZATION: input",
        ),
        (
            NETWORK,
            {"activations": Activations.INT16, "int16": ("features",)},
            "int16: error: tensors by name and activations=16, which is all of them",
        ),
    ],
)
def test_refused(spec: ModelSpec, options: dict[str, Any], expected: str) -> None:
    """An unknown tensor, an operator without int16, both options."""
    with pytest.raises(TinymlError) as caught:
        quantized(spec, **options)
    assert expected in str(caught.value)
    assert str(caught.value).count("error:") == 1


def test_bias_beyond_int32() -> None:
    """int64 holds it; TFLM's sums do as well."""
    row = np.full(7, 1e6, np.float32)
    spec = MODELS["FULLY_CONNECTED"]
    tensors = tuple(replace(each, data=row) if each.name == "b" else each for each in spec.tensors)
    found = quantized(replace(spec, tensors=tensors), activations=Activations.INT16)
    bias = called(graph_of(found.model), "b")
    assert bias.data is not None and int(np.abs(bias.data).max()) > 2**31
    assert not found.notes
    equals_tflm(found.model)
