"""Activations of int16 throughout: every operator and random networks, by TFLM and in C."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.quantizer.float_models import MODELS
from tests.quantizer.runs import by_oracles, graph_of, quantized, random_inputs
from tests.quantizer.test_command_line import NETWORK
from tests.quantizer.test_random_networks import network
from tests.quantizer.test_wrong_input import equals_tflm
from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.litert import litert_outputs
from tests.support.tflm import tflm_outputs
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.dtype import DType
from tinyml_rules.quantizer.request import Activations, Quantized

INT8_ALONE = ("no operator of the model has an int16 form", "has no int8 form")
ONE_SCALE = ("CONCATENATION", "PAD", "PADV2", "MAX_POOL_2D", "AVERAGE_POOL_2D", "PACK", "MAXIMUM")
FIXED = {"LOGISTIC": 2.0**-15, "TANH": 2.0**-15, "SOFTMAX": 2.0**-15}
NOT_IN_TFLM = (
    *("BATCH_TO_SPACE_ND", "GATHER", "GATHER_ND", "MIRROR_PAD"),
    *("REDUCE_MAX", "REDUCE_MIN", "SPACE_TO_BATCH_ND", "TILE"),
    *("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL", "SELECT_V2"),
)
"""Which LiteRT has as int16; SELECT_V2 is behind a comparison."""
NOT_IN_LITERT = ("SQUARED_DIFFERENCE",)
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


@pytest.mark.parametrize("name", MODELS)
def test_one_operator(name: str) -> None:
    """Of int16 throughout, symmetric, with the scales that the operator fixes or shares, int64
    biases, and TFLM's bytes; LiteRT takes the file too."""
    found = wide(name)
    if found is None:
        return
    graph = graph_of(found.model)
    inputs = random_inputs(graph)
    by_litert = [] if name in NOT_IN_LITERT else litert_outputs(found.model, inputs)
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
    figures = found.report["figures"]
    assert figures["int16"]["sqnr_db"] == found.report["sqnr_db"]
    assert figures["int16"]["sqnr_db"] >= figures["int8"]["sqnr_db"]
    of_int8 = quantized(network(seed))
    assert figures["int8"]["sqnr_db"] == of_int8.report["sqnr_db"]
    assert "figures" not in of_int8.report
