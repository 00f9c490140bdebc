"""Networks of real numbers give LiteRT's answers: one as large as TFLM's hello_world in C on every
kind of processor, with the same bytes on all of them, and models as converters write them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.litert import litert_outputs
from tests.support.operator_cases import file_of, graph_of, oracle_bytes, sample_bytes
from tests.support.stages import read
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import Case, random, typed
from tinyml_rules.ops._shared.interpreter import run_graph
from tinyml_rules.ops.softmax.cases import real as softmax
from tinyml_rules.passes.fold_constants import fold_constants

WIDTHS = (1, 16, 16, 1)
TARGETS = (SANITIZED, "atmega328", "nrf51", "nrf52840", "riscv32imc")
RELATIVE = 1e-5
LEAST_STEP = 2.0**-149
"""Between neighbours among the smallest numbers, which have few bits: a smaller difference there is
none."""


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


def likelihoods() -> Case:
    """SOFTMAX of pairs and of more, whose exponentials are of all sizes that float32 has."""
    rows = np.zeros((1000, 1, 2))
    rows[:, 0, 1] = np.linspace(-104, 89, 1000)
    return softmax((1, 2), rows)


CASES = {
    "network": network(),
    "likelihoods": likelihoods(),
    "many_likelihoods": softmax((2, 10), random(8).normal(0, 5, (20, 2, 10)), beta=0.7),
}


@pytest.mark.parametrize("target_name", TARGETS)
def test_on_targets(target_name: str, tmp_path: Path) -> None:
    """Within 1e-5 of LiteRT's float kernels, and the bytes of the oracles."""
    graphs = {name: graph_of(case, name=name) for name, case in CASES.items()}
    jobs = [
        Job(name, file_of(case), sample_bytes(case, graphs[name])) for name, case in CASES.items()
    ]
    found = run_combined(target_or_skip(target_name), jobs, folder=tmp_path)
    for name, case in CASES.items():
        assert found[name] == oracle_bytes(case, graphs[name])
        (expected,) = litert_outputs(file_of(case), case.samples)
        answers = np.frombuffer(found[name], np.float32)
        np.testing.assert_allclose(
            answers, expected.reshape(-1), rtol=RELATIVE, atol=LEAST_STEP, err_msg=name
        )


SAMPLES = 2
CONVERTED = ("kws_float", "ad01_fp32", "rfc", "rfc_pad0")
COMPILED = ("kws_float", "rfc")
"""Between them, all kernels for float32 of the operators that slide a window, SOFTMAX and
FULLY_CONNECTED."""


@pytest.fixture
def quant_folder(models_mirror: Path | None) -> Path:
    """Float models and data beside the models of the mirror."""
    folder = None if models_mirror is None else models_mirror.parent / "quant"
    if folder is None or not folder.is_dir():
        pytest.skip("needs the folder quant beside that of --models")
    return folder


def converted(file: Path) -> tuple[bytes, Case]:
    """The bytes of a model file, and random inputs of it."""
    graph = read(file.read_bytes())
    (source,) = (graph.tensors[index] for index in graph.inputs)
    samples = random(6).uniform(0, 1, (SAMPLES, *source.shape)).astype(np.float32)
    result = graph.tensors[graph.outputs[0]]
    tensors = tuple(typed(each.name, each.shape, "float32") for each in (source, result))
    return file.read_bytes(), Case(ModelSpec(tensors, (), (0,), (1,)), (samples,))


@pytest.mark.parametrize("name", CONVERTED)
def test_converted(name: str, quant_folder: Path) -> None:
    """By the operators' meanings."""
    data, case = converted(quant_folder / f"{name}.tflite")
    graph = fold_constants(read(data), builtin_operators())
    (expected,) = litert_outputs(data, case.samples)
    for sample, right in zip(case.samples[0], expected, strict=True):
        (found,) = run_graph(graph, builtin_operators(), {graph.inputs[0]: sample})
        np.testing.assert_allclose(found.astype(np.float32), right, rtol=RELATIVE)


@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name: str, quant_folder: Path, tmp_path: Path) -> None:
    """In C on the host."""
    data, case = converted(quant_folder / f"{name}.tflite")
    job = Job(name, data, case.samples[0].tobytes())
    found = run_combined(target_or_skip("host"), [job], folder=tmp_path)[name]
    (expected,) = litert_outputs(data, case.samples)
    answers = np.frombuffer(found, np.float32).reshape(expected.shape)
    np.testing.assert_allclose(answers, expected, rtol=RELATIVE)
