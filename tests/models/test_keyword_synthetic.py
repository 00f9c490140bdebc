"""The synthetic keyword spotter is as exact, as right and as large as its README says, and what its
training is made of is right."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.keyword_synthetic.features import SCALE, ZERO_POINT
from models.keyword_synthetic.network import Folded, Network, Normalize
from models.keyword_synthetic.tflite_file import INPUT, INPUT_SHAPE, OUTPUT, float_model
from models.keyword_synthetic.voices import LABELS, divided
from models.zoo import load_manifest, matrix_models, model_names
from tests.conftest import MODELS_FOLDER
from tests.support.hand_written import target_or_skip
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import run_model, run_on_arrays

NAME = "keyword_synthetic"
FOLDER = MODELS_FOLDER / NAME
MODEL = (FOLDER / f"{NAME}.tflite").read_bytes()
PAGE = FOLDER / "README.md"
README = PAGE.read_text(encoding="utf-8")
TARGET = "nrf52840"


def stored(file: str) -> dict[str, Any]:
    """The arrays of a file of the folder."""
    with np.load(FOLDER / file, allow_pickle=False) as arrays:
        return dict(arrays)


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    """The model's C on the host."""
    return compile_model(Request(MODEL, NAME, target_or_skip("host")))


def test_it_is_no_model_of_the_matrix() -> None:
    """Which measures every model on every target; all others are."""
    assert set(model_names(MODELS_FOLDER)) - set(matrix_models(MODELS_FOLDER)) == {NAME}


def test_accuracy(compiled: Compiled, tmp_path: Path) -> None:
    """On windows of voices never heard: TFLM's bytes, and as many right as the README says."""
    held_out = stored("held_out.npz")
    inputs = held_out[INPUT]
    assert tuple(held_out["names"]) == LABELS == load_manifest(MODELS_FOLDER, NAME).demo.labels
    outcome = run_model(compiled, target_or_skip("host"), inputs.tobytes(), folder=tmp_path)
    (expected,) = tflm_outputs(MODEL, [inputs])
    assert outcome.output == expected.tobytes()
    right = int(np.sum(expected[:, 0].argmax(axis=1) == held_out["labels"]))
    assert f"**{right} of {len(inputs)}**" in README
    assert right / len(inputs) > 0.85
    assert set(held_out["labels"]) == set(range(len(LABELS)))


def test_recordings() -> None:
    """What TFLM answers to the two sounds that no program spoke."""
    recorded = stored("recordings.npz")
    (expected,) = tflm_outputs(MODEL, [recorded[INPUT]])
    np.testing.assert_array_equal(recorded[OUTPUT], expected)
    for word, scores in zip(("yes", "no"), expected[:, 0], strict=True):
        values = " | ".join(str(int(score) + 128) for score in scores)
        assert f"| recording of {word} | {values} |" in README


@pytest.mark.parametrize("settings", ["", "push_rows", "push_rows slide=2"])
def test_figures(settings: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Flash, RAM and instructions; `--write-pages` writes them."""
    recorded, part = stored("recordings.npz"), target_or_skip(TARGET)
    slide = 2 if "slide" in settings else None
    compiled = compile_model(Request(MODEL, NAME, part, push_rows=bool(settings), slide=slide))
    (port,) = compiled.interface.inputs
    samples = {port.tensor: recorded[INPUT]}
    outcome = run_on_arrays(compiled, part, samples, where="recordings", folder=tmp_path)
    assert outcome.output == recorded[OUTPUT].tobytes()
    build, run = outcome.report.build, outcome.report.run
    assert build is not None
    assert run is not None
    figures = (build.flash_bytes, build.ram_bytes, run.instructions)
    row = f"| {settings} | {' | '.join(f'{figure:,}' for figure in figures)} |"
    if request.config.getoption("--write-pages"):
        of_row = rf"^\| {settings} \|(?: [\d,]+ \|){{3}}$"
        page, changed = re.subn(of_row, row, PAGE.read_text(encoding="utf-8"), flags=re.M)
        assert changed == 1
        PAGE.write_text(page, encoding="utf-8")
    else:
        assert row in README


def test_a_feature_is_an_input_byte(compiled: Compiled) -> None:
    """The quantizer found the scale of the front end, so nothing is converted."""
    (port,) = compiled.interface.inputs
    assert (port.shape, port.scale, port.zero_point) == (INPUT_SHAPE, SCALE, ZERO_POINT)


def a_network() -> tuple[Network, np.random.Generator]:
    """With normalizations that change something."""
    generator = np.random.default_rng(4)
    network = Network(generator, classes=len(LABELS))
    for layer in network.layers:
        if isinstance(layer, Normalize):
            layer.mean = generator.normal(0, 0.3, layer.mean.shape).astype(np.float32)
            layer.variance = generator.uniform(0.5, 2, layer.mean.shape).astype(np.float32)
            layer.parameters[1] += generator.uniform(0, 0.5, layer.mean.shape).astype(np.float32)
    return network, generator


def test_the_file_is_the_network() -> None:
    """TFLM's probabilities, with the normalizations in the weights, are those of training."""
    network, generator = a_network()
    x = generator.uniform(0, 3, (3, *INPUT_SHAPE)).astype(np.float32)
    layers: list[Folded] = network.folded()
    (found,) = tflm_outputs(float_model(layers), [x])
    logits = network.logits(x.reshape(3, *INPUT_SHAPE[1:3])).astype(np.float64)
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("index", [0, 1, 2, 4, 9, 15])
def test_slopes(index: int) -> None:
    """Every gradient is the difference of two losses: the largest one of a layer of each kind."""
    network, generator = a_network()
    x = generator.uniform(0, 3, (8, *INPUT_SHAPE[1:3])).astype(np.float32)
    labels = generator.integers(0, len(LABELS), 8).astype(np.uint8)
    layer = network.layers[index]
    network.learn(x, labels)
    for values, slopes in zip(layer.parameters, layer.slopes, strict=True):
        place = np.unravel_index(np.abs(slopes).argmax(), slopes.shape)
        slope, start, losses = float(slopes[place]), values[place], []
        for step in (0.01, -0.01):
            values[place] = start + np.float32(step)
            losses.append(network.learn(x, labels))
            values[place] = start
        assert slope == pytest.approx((losses[0] - losses[1]) / 0.02, rel=0.15, abs=2e-4)


def test_relatives_stay_together() -> None:
    """No voice of training has a twin with another number among those held out."""
    names = ["Gene", "Gene2", "f1", "f2", "f3", "klatt", "klatt6", "whisper", "zac"]
    train, held_out = divided(names, np.random.default_rng(1), held_out=3)
    assert sorted(train + held_out) == sorted(names)
    assert len(held_out) >= 3
    for family in (["Gene", "Gene2"], ["f1", "f2", "f3"], ["klatt", "klatt6"]):
        assert set(family) <= set(train) or set(family) <= set(held_out)
