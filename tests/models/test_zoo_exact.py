"""Every model of the zoo gives what TFLM gives, byte for byte, on the host and on the emulators.

A model is built and run once for a target; the tests then look at what came of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.conftest import MODELS_FOLDER, ZooModel, ZooSample
from tests.support.record_vectors import vectors
from tests.support.speech_features import speech_features
from tests.support.tflm import AnyArray, tflm_outputs
from tests.targets.hand_written import target_or_skip
from tinyml_rules.arrays import unpack_samples
from tinyml_rules.compile import Compiled, compile_model
from tinyml_rules.ir.interface import Port
from tinyml_rules.report import Report
from tinyml_rules.request import Request
from tinyml_rules.run import run_model
from tinyml_rules.samples import BITMAP_SUFFIX, sample_input
from tinyml_rules.target import Target
from tinyml_rules.zoo import load_manifest, model_names

Bytes = npt.NDArray[np.int8]

SEED = 7
RANDOM_SAMPLES = {"host": 100}
RANDOM_SAMPLES_ON_EMULATOR = 5

ON_HOST = [(name, "host") for name in model_names(MODELS_FOLDER)]
ON_EMULATOR = [
    ("sine", "atmega328"),
    ("sine", "atmega2560"),
    ("speech", "atmega2560"),
    ("kws", "atmega1284p"),
    ("sine", "lm3s6965"),
    ("speech", "lm3s6965"),
    ("speech", "nrf52840"),
    ("person_detect", "lm3s6965"),
    ("person_detect", "nrf52840"),
    ("kws", "nrf52840"),
    ("ad", "nrf52840"),
]
LABELLED = [place for place in (*ON_HOST, *ON_EMULATOR) if place[0] in ("person_detect", "speech")]

BARS = [
    ("sine", "atmega328", "flash_bytes", 3_000),
    ("sine", "atmega328", "ram_bytes", 200),
    ("sine", "atmega328", "cycles", 30_000),
    ("speech", "nrf52840", "flash_bytes", 26_000),
    ("speech", "nrf52840", "ram_bytes", 7_000),
    ("person_detect", "nrf52840", "flash_bytes", 245_000),
    ("person_detect", "nrf52840", "ram_bytes", 58_000),
]
"""The most that a minimal firmware may take: model, target, figure of the report, bound."""


@dataclass(frozen=True, eq=False)
class Run:
    """What one build gave for `inputs`, of which the first ones are the model's own samples."""

    inputs: Bytes
    outputs: AnyArray
    expected: AnyArray
    report: Report


RunOf = Callable[[str, str], Run]


@pytest.fixture(scope="session")
def run_of(
    zoo_model: ZooModel, zoo_sample: ZooSample, tmp_path_factory: pytest.TempPathFactory
) -> RunOf:
    """A function from model and target to their run, which is made once."""

    @cache
    def run(name: str, target_name: str) -> Run:
        target = target_or_skip(target_name)
        model = zoo_model(name).read_bytes()
        compiled = compile_model(Request(model, name, target))
        samples = load_manifest(MODELS_FOLDER, name).demo.samples
        files = [zoo_sample(name, sample.file.name) for sample in samples]
        count = RANDOM_SAMPLES.get(target_name, RANDOM_SAMPLES_ON_EMULATOR)
        inputs = inputs_of(compiled.interface.inputs[0], files, count=count)
        folder = tmp_path_factory.mktemp(f"{name}-{target_name}")
        return run_on(model, compiled, target, inputs, folder=folder)

    return run


def inputs_of(port: Port, files: list[Path], *, count: int) -> Bytes:
    """The model's own samples, then `count` random ones; every value of a single number.

    Each random sample has limits of its own: where all of them fill the whole range, a network
    gives nearly the same answer to each.
    """
    if port.count == 1:
        return np.arange(-128, 128).astype(np.int8).reshape(-1, *port.shape)
    own = [
        sample_input(file, port) if file.suffix == BITMAP_SUFFIX else speech_features(file)
        for file in files
    ]
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
    return Run(inputs, outputs, expected, outcome.report)


@pytest.mark.parametrize(("name", "target"), [*ON_HOST, *ON_EMULATOR])
def test_equals_tflm(name: str, target: str, run_of: RunOf) -> None:
    """Every byte of every sample."""
    run = run_of(name, target)
    assert run.outputs.shape == run.expected.shape
    wrong = np.argwhere(run.outputs != run.expected)
    assert not len(wrong), f"{len(wrong)} values differ, first at {wrong[0].tolist()}"


@pytest.mark.parametrize(("name", "target"), ON_HOST)
def test_comparison_means_something(name: str, target: str, run_of: RunOf) -> None:
    """At least 100 samples, and answers that differ: constant ones would compare equal too."""
    expected = run_of(name, target).expected
    assert len(expected) >= 100
    assert len(np.unique(expected.reshape(len(expected), -1), axis=0)) >= 40


@pytest.mark.parametrize(("name", "target"), LABELLED)
def test_labels(name: str, target: str, run_of: RunOf) -> None:
    """The pictures and the sounds get the labels that model.toml expects of them."""
    demo = load_manifest(MODELS_FOLDER, name).demo
    outputs = run_of(name, target).outputs.reshape(-1, len(demo.labels))
    answers = [demo.labels[index] for index in outputs[: len(demo.samples)].argmax(axis=1)]
    assert answers == [sample.label for sample in demo.samples]
    assert len(set(answers)) == 2


@pytest.mark.parametrize(("name", "target", "figure", "bound"), BARS)
def test_size_bar(name: str, target: str, figure: str, bound: int, run_of: RunOf) -> None:
    """The firmware stays as small, and the sine as quick, as the README says."""
    assert 0 < run_of(name, target).report[figure] <= bound


@pytest.mark.parametrize(("name", "target"), ON_EMULATOR)
def test_memory(name: str, target: str, run_of: RunOf) -> None:
    """It fits the part, and no inference goes deeper than the stack that was computed for it."""
    report = run_of(name, target).report
    assert report["flash_bytes"] <= report["target_flash_bytes"]
    assert report["ram_bytes"] <= report["target_ram_bytes"]
    assert report["ram_bytes"] == report["static_ram_bytes"] + report["stack_bytes"]
    measured = report["invoke_stack_measured_bytes"]
    assert 0 < measured <= report["invoke_stack_bytes"] <= report["stack_bytes"]


@pytest.mark.parametrize("name", model_names(MODELS_FOLDER))
def test_recorded_vectors(name: str, zoo_model: ZooModel) -> None:
    """`scons test` compares with vectors.npz: it holds what TFLM gives today."""
    expected = vectors(zoo_model(name).read_bytes(), name)
    with np.load(MODELS_FOLDER / name / "vectors.npz", allow_pickle=False) as recorded:
        assert sorted(recorded) == sorted(expected)
        for tensor, values in expected.items():
            assert recorded[tensor].dtype == values.dtype
            np.testing.assert_array_equal(recorded[tensor], values)
