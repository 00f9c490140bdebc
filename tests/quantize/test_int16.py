"""Activations of int16: whole models, single tensors in a model of int8, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.quantize.float_models import IMAGE, MODELS, ROW, SAME, STRIDES, chain, ints, real, reals
from tests.quantize.runs import by_oracles, drawn, graph_of, quantized, random_inputs
from tests.quantize.test_command_line import NETWORK
from tests.quantize.test_random_networks import network
from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.litert import litert_outputs
from tests.support.tflm import tflm_outputs
from tinyml_rules.errors import TinymlError, UnsupportedError
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Tensor
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.quantize.request import Activations, Quantized

INT8_ALONE = ("no operator of the model has an int16 form", "has no int8 form")
ONE_SCALE = ("CONCATENATION", "PAD", "PADV2", "MAX_POOL_2D", "AVERAGE_POOL_2D", "PACK", "MAXIMUM")
FIXED = {"LOGISTIC": 2.0**-15, "TANH": 2.0**-15, "SOFTMAX": 2.0**-15}
NOT_IN_TFLM = (
    *("BATCH_TO_SPACE_ND", "GATHER", "GATHER_ND", "MIRROR_PAD"),
    *("REDUCE_MAX", "REDUCE_MIN", "SPACE_TO_BATCH_ND", "TILE"),
)
"""Which LiteRT has as int16."""
SEEDS = range(3)


@cache
def wide(name: str) -> Quantized | None:
    """A model of one operator in int16; None where the operator has no such form."""
    try:
        return quantized(MODELS[name], activations=Activations.INT16)
    except UnsupportedError as error:
        assert any(text in str(error) for text in INT8_ALONE)
        return None


def taken() -> dict[str, bytes]:
    """The files of all operators with an int16 form."""
    found = {name: wide(name) for name in MODELS}
    return {name: each.model for name, each in found.items() if each is not None}


def equals_tflm(model: bytes) -> None:
    """The oracles have its bytes, on any input."""
    graph = graph_of(model)
    inputs = random_inputs(graph)
    for mine, theirs in zip(by_oracles(graph, inputs), tflm_outputs(model, inputs), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def wrong_in_c(models: Mapping[str, bytes], target: str, *, folder: Path) -> list[str]:
    """Of which models the C has other bytes than TFLM."""
    jobs, expected = [], dict[str, tuple[str, bytes]]()
    for place, (name, model) in enumerate(models.items()):
        inputs = random_inputs(graph_of(model), count=3)
        jobs.append(Job(f"model{place}", model, _rows(inputs)))
        reference = litert_outputs if name in NOT_IN_TFLM else tflm_outputs
        expected[f"model{place}"] = (name, _rows(reference(model, inputs)))
    found = run_combined(target_or_skip(target), jobs, folder=folder)
    assert found.keys() == expected.keys()
    return [name for job, (name, wanted) in expected.items() if found[job] != wanted]


def _rows(arrays: list[np.ndarray]) -> bytes:
    """Sample after sample, each with all its arrays."""
    flat = [np.ascontiguousarray(each).reshape(len(each), -1).view(np.uint8) for each in arrays]
    return np.concatenate(flat, axis=1).tobytes()


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


@pytest.mark.parametrize("name", MODELS)
def test_one_operator(name: str) -> None:
    """Of int16 throughout, symmetric, with the scales that the operator fixes or shares, int64
    biases, and TFLM's bytes; LiteRT takes the file too."""
    found = wide(name)
    if found is None:
        return
    graph = graph_of(found.model)
    inputs = random_inputs(graph)
    by_litert = litert_outputs(found.model, inputs)
    if name in NOT_IN_TFLM:
        for mine, theirs in zip(by_oracles(graph, inputs), by_litert, strict=True):
            np.testing.assert_array_equal(mine, theirs)
    else:
        equals_tflm(found.model)
    for node in graph.nodes:
        op = node.op.upper()
        operands = (index for index in (*node.inputs, *node.outputs) if index is not None)
        tensors = [graph.tensors[index] for index in operands]
        of_values = [each for each in tensors if each.dtype is DType.INT16]
        if not of_values or op == "QUANTIZE":
            continue
        assert all(each.zero_point == 0 for each in of_values)
        if op in ONE_SCALE:
            assert len({each.scale for each in of_values}) == 1
        if op in FIXED:
            assert of_values[-1].scale == FIXED[op]
        weights = [each for each in tensors if each.dtype is DType.INT8]
        if weights and len(tensors) > 3:
            assert [each.dtype for each in tensors].count(DType.INT64) == 1


def test_in_c(tmp_path: Path) -> None:
    """The same bytes from the C of every such operator and of networks, under sanitizers."""
    models = {f"network {seed}": of_network(seed).model for seed in SEEDS}
    assert not wrong_in_c({**taken(), **models}, SANITIZED, folder=tmp_path)


def test_on_a_cortex_m4(tmp_path: Path) -> None:
    """The same on the emulator, of a whole model and of one with a tensor of int16."""
    models = {
        "whole": quantized(NETWORK, activations=Activations.INT16).model,
        "tensor": quantized(NETWORK, int16=("features",)).model,
    }
    assert not wrong_in_c(models, "nrf52840", folder=tmp_path)


@cache
def of_network(seed: int) -> Quantized:
    """A random network in int16."""
    return quantized(network(seed), activations=Activations.INT16)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_network(seed: int) -> None:
    """TFLM's bytes, twice the same file, and no worse than with int8."""
    found = of_network(seed)
    assert found.model == quantized(network(seed), activations=Activations.INT16).model
    equals_tflm(found.model)
    beside = found.report["beside"]
    assert beside["int16"]["sqnr_db"] == found.report["sqnr_db"]
    assert beside["int16"]["sqnr_db"] >= beside["int8"]["sqnr_db"]
    of_int8 = quantized(network(seed))
    assert beside["int8"]["sqnr_db"] == of_int8.report["sqnr_db"]
    assert "beside" not in of_int8.report


def test_scales_and_costs() -> None:
    """A range is that of the values on both sides of 0; twice the bytes for tensors, and the ends
    are int16."""
    found = quantized(NETWORK, activations=Activations.INT16)
    graph = graph_of(found.model)
    most = float(np.abs(drawn(NETWORK)["x"]).max())
    source = called(graph, "x")
    assert source.dtype is DType.INT16
    assert most / 32767 <= source.scale <= most / 32767 * (1 + 2.0**-11)
    costs = found.report["beside"]
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
def test_refused(spec: ModelSpec, options: dict[str, object], expected: str) -> None:
    """An unknown tensor, an operator without int16, both options."""
    with pytest.raises(TinymlError) as caught:
        quantized(spec, **options)
    assert expected in str(caught.value)
    assert str(caught.value).count("error:") == 1


def test_bias_beyond_int32() -> None:
    """int64 holds it; TFLM's sums do as well."""
    row = np.full(7, 1e6, np.float32)
    spec = MODELS["FULLY_CONNECTED"]
    tensors = tuple(
        type(each)(each.name, each.shape, each.dtype, data=row) if each.name == "b" else each
        for each in spec.tensors
    )
    large = ModelSpec(tensors, spec.operators, spec.inputs, spec.outputs)
    found = quantized(large, activations=Activations.INT16)
    assert build_model(large) != build_model(spec)
    bias = called(graph_of(found.model), "b")
    assert bias.data is not None and int(np.abs(bias.data).max()) > 2**31
    assert not found.notes
    equals_tflm(found.model)
