"""A network of real numbers as large as TFLM's hello_world gives LiteRT's answers on every kind of
processor, and the same bytes on all of them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.litert import litert_outputs
from tests.support.operator_cases import file_of, graph_of, oracle_bytes, sample_bytes
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import Case, random, typed

WIDTHS = (1, 16, 16, 1)
TARGETS = (SANITIZED, "atmega328", "nrf51", "nrf52840", "riscv32imc")
RELATIVE = 1e-5


def network() -> Case:
    """Three layers, RELU in one and behind another, of angles in a circle."""
    generator = random(5)
    tensors, operators = [typed("x", (1, 1), "float32")], []
    last = 0
    for layer, (inputs, outputs) in enumerate(pairwise(WIDTHS)):
        for name, shape in (("weights", (outputs, inputs)), ("bias", (outputs,))):
            data = generator.normal(0, 1, shape).astype(np.float32)
            tensors.append(TensorSpec(f"{name}_{layer}", shape, "float32", data=data))
        tensors.append(typed(f"sums_{layer}", (1, outputs), "float32"))
        place = len(tensors) - 1
        options = {"FusedActivationFunction": int(layer == 0)}
        operators.append(
            OperatorSpec("FULLY_CONNECTED", (last, place - 2, place - 1), (place,), options)
        )
        last = place
        if layer == 1:
            tensors.append(typed("positive", (1, outputs), "float32"))
            last = place + 1
            operators.append(OperatorSpec("RELU", (place,), (last,)))
    model = ModelSpec(tuple(tensors), tuple(operators), inputs=(0,), outputs=(last,))
    angles = np.linspace(0, 2 * np.pi, 50, dtype=np.float32)
    return Case(model, (angles.reshape(-1, 1, 1),))


@pytest.mark.parametrize("target_name", TARGETS)
def test_network(target_name: str, tmp_path: Path) -> None:
    """Within 1e-5 of LiteRT's float kernels, and the bytes of the oracles."""
    case = network()
    graph = graph_of(case, name="network")
    job = Job("network", file_of(case), sample_bytes(case, graph))
    found = run_combined(target_or_skip(target_name), [job], folder=tmp_path)["network"]
    assert found == oracle_bytes(case, graph)
    (expected,) = litert_outputs(file_of(case), case.samples)
    answers = np.frombuffer(found, np.float32)
    np.testing.assert_allclose(answers, expected.reshape(-1), rtol=RELATIVE)
