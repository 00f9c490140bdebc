"""Every model of the zoo gives on the host what TFLM gives, byte for byte.

A model is built and run once; the tests then look at what came of it.  `tests/benchmarks` has the
emulators, and what a model takes there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from models.zoo import load_manifest, model_names
from tests.conftest import MODELS_FOLDER, ZooModel, ZooSample
from tests.support.hand_written import target_or_skip
from tests.support.record_vectors import samples, vectors
from tests.support.sample_inputs import input_of
from tests.support.tflm import AnyArray, tflm_outputs
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.ir.interface import Port
from tinyml_rules.request.request import Request
from tinyml_rules.runners.arrays import unpack_samples
from tinyml_rules.runners.model import run_model
from tinyml_rules.target.target import Target

Bytes = npt.NDArray[np.int8]

SEED = 7
RANDOM_SAMPLES = 100
MODELS = model_names(MODELS_FOLDER)

LABELLED = {"kws": 1, "person_detect": 2, "speech": 2}
"""How many of their samples have a label of their own."""


@dataclass(frozen=True, eq=False)
class Run:
    """What one build gave for `inputs`, of which the first ones are the model's own samples."""

    inputs: Bytes
    outputs: AnyArray
    expected: AnyArray


RunOf = Callable[[str], Run]


@pytest.fixture(scope="session")
def run_of(
    zoo_model: ZooModel, zoo_sample: ZooSample, tmp_path_factory: pytest.TempPathFactory
) -> RunOf:
    """A function from a model to its run, which is made once."""

    @cache
    def run(name: str) -> Run:
        target = target_or_skip("host")
        model = zoo_model(name).read_bytes()
        compiled = compile_model(Request(model, name, target))
        port = compiled.interface.inputs[0]
        own = [input_of(name, file, port) for file in sample_files(name, zoo_sample)]
        inputs = inputs_of(port, own, count=RANDOM_SAMPLES)
        folder = tmp_path_factory.mktemp(name)
        return run_on(model, compiled, target, inputs, folder=folder)

    return run


def sample_files(name: str, zoo_sample: ZooSample) -> list[Path]:
    """Where the samples of a model.toml are."""
    samples = load_manifest(MODELS_FOLDER, name).demo.samples
    return [zoo_sample(name, each.file.name) for each in samples]


def inputs_of(port: Port, own: list[Bytes], *, count: int) -> Bytes:
    """The model's own samples, then `count` random ones; every value of a single number.

    Each random sample has limits of its own: where all of them fill the whole range, a network
    gives nearly the same answer to each.
    """
    if port.count == 1:
        return np.arange(-128, 128).astype(np.int8).reshape(-1, *port.shape)
    generator = np.random.default_rng(SEED)
    limits = np.sort(generator.integers(-128, 129, (count, 2)), axis=1)
    limits[0] = (-128, 128)
    drawn = [generator.integers(low, max(high, low + 1), port.shape) for low, high in limits]
    return np.stack([*own, *drawn]).astype(np.int8)


def run_on(model: bytes, compiled: Compiled, target: Target, inputs: Bytes, *, folder: Path) -> Run:
    """Build, run, and ask TFLM the same."""
    outcome = run_model(compiled, target, inputs.tobytes(), folder=folder)
    (outputs,) = unpack_samples(compiled.interface, outcome.output).values()
    (expected,) = tflm_outputs(model, [inputs])
    return Run(inputs, outputs, expected)


@pytest.mark.parametrize("name", MODELS)
def test_equals_tflm(name: str, run_of: RunOf) -> None:
    """Every byte of every sample."""
    run = run_of(name)
    assert run.outputs.shape == run.expected.shape
    wrong = np.argwhere(run.outputs != run.expected)
    assert not len(wrong), f"{len(wrong)} values differ, first at {wrong[0].tolist()}"


@pytest.mark.parametrize("name", MODELS)
def test_comparison_means_something(name: str, run_of: RunOf) -> None:
    """At least 100 samples, and answers that differ: constant ones would compare equal too."""
    expected = run_of(name).expected
    assert len(expected) >= 100
    assert len(np.unique(expected.reshape(len(expected), -1), axis=0)) >= 40


@pytest.mark.parametrize("name", LABELLED)
def test_labels(name: str, run_of: RunOf) -> None:
    """The pictures and the sounds get the labels that model.toml expects of them."""
    demo = load_manifest(MODELS_FOLDER, name).demo
    outputs = run_of(name).outputs.reshape(-1, len(demo.labels))
    answers = [demo.labels[index] for index in outputs[: len(demo.samples)].argmax(axis=1)]
    assert answers == [sample.label for sample in demo.samples]
    assert len(set(answers)) == LABELLED[name]


@pytest.mark.parametrize("name", MODELS)
def test_recorded_vectors(name: str, zoo_model: ZooModel) -> None:
    """`scons test` compares with vectors.npz: it holds what TFLM gives today."""
    check_recorded(name, "vectors.npz", vectors(zoo_model(name).read_bytes(), name))


@pytest.mark.parametrize("name", LABELLED)
def test_recorded_samples(name: str, zoo_model: ZooModel, zoo_sample: ZooSample) -> None:
    """The live page opens with one of samples.npz: likewise."""
    files = sample_files(name, zoo_sample)
    check_recorded(name, "samples.npz", samples(zoo_model(name).read_bytes(), name, files))


def check_recorded(name: str, file: str, expected: dict[str, AnyArray]) -> None:
    """Every tensor of a model's file."""
    with np.load(MODELS_FOLDER / name / file, allow_pickle=False) as recorded:
        assert sorted(recorded) == sorted(expected)
        for tensor, values in expected.items():
            assert recorded[tensor].dtype == values.dtype
            np.testing.assert_array_equal(recorded[tensor], values)
