"""Whole models under `rounding=litert`: random graphs, and models that TensorFlow quantized."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.litert import litert_outputs
from tests.support.operator_cases import (
    agrees,
    file_of,
    graph_of,
    litert_bytes,
    oracle_bytes,
    result_bytes,
    sample_bytes,
)
from tests.support.random_graphs import random_graph
from tests.support.stages import read
from tests.support.tflm import AnyArray, tflm_outputs
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.ops._shared.cases.case import Case, random_case

SEED, GRAPHS, LEAST = 21, 60, 4
"""LiteRT refuses most graphs, of which some node has no kernel there for its type."""
NODES = 8
SAMPLES = {"kws_tf": ("kws_data", 6), "ad_tf": ("ad_data", 6)}
"""The file of inputs of each model, and how many."""


def graphs() -> dict[str, tuple[Case, bytes]]:
    """Random graphs that LiteRT takes, with what it gives."""
    found = {}
    for number in range(GRAPHS):
        case = random_case(random_graph((SEED, number), node_count=NODES), seed=number)
        truth = litert_bytes(case)
        if truth is not None and _is_defined(case):
            found[f"graph_{number}"] = (case, truth)
    return found


def _is_defined(case: Case) -> bool:
    """Whether there is nothing in it that is refused for good reasons."""
    try:
        graph_of(case, name="model", reference=RoundingReference.LITERT)
    except UnsupportedError:
        return False
    return True


def test_random_graphs(tmp_path: Path) -> None:
    """numpy, and C on the host."""
    cases = graphs()
    assert len(cases) >= LEAST
    reference = RoundingReference.LITERT
    passed = {
        name: graph_of(case, name=name, reference=reference) for name, (case, _) in cases.items()
    }
    jobs = [
        Job(name, file_of(case), sample_bytes(case, passed[name]), rounding=reference)
        for name, (case, _) in cases.items()
    ]
    outputs = run_combined(target_or_skip(SANITIZED), jobs, folder=tmp_path)
    for name, (case, truth) in cases.items():
        graph = passed[name]
        assert agrees(case, result_bytes(case, graph, oracle_bytes(case, graph)), truth), name
        assert agrees(case, result_bytes(case, graph, outputs[name]), truth), name


def integers(model: bytes, values: AnyArray) -> AnyArray:
    """Real inputs in the scale of an int8 model's input."""
    graph = read(model)
    tensor = graph.tensors[graph.inputs[0]]
    scaled = np.round(values / tensor.scale) + tensor.zero_point
    return np.clip(scaled, -128, 127).astype(np.int8).reshape(-1, *tensor.shape)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("target_name", ["host", "nrf52840"])
def test_quantized_model(name: str, target_name: str, quant_folder: Path, tmp_path: Path) -> None:
    """LiteRT's bytes, each layer by its own kernel."""
    data, count = SAMPLES[name]
    model = (quant_folder / f"{name}.tflite").read_bytes()
    values = integers(model, np.load(quant_folder / f"{data}.npz")["x_eval"][:count])
    truth = litert_outputs(model, [values])[0]
    job = Job(
        name, model, values.tobytes(), rounding=RoundingReference.LITERT, optimize=Optimize.BALANCED
    )
    output = run_combined(target_or_skip(target_name), [job], folder=tmp_path)[name]
    assert output == truth.tobytes()
    if name == "ad_tf":  # nine layers in which the references round differently
        assert output != tflm_outputs(model, [values])[0].tobytes()
