"""The page about the MicroFlow paper: figures that are cheap are measured again, the arithmetic is
compared with numbers by hand, and the paper's figures with one another."""

from __future__ import annotations

import math
import runpy
import shutil
import sys
from dataclasses import astuple, replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.matrix import Result, measure_pair
from benchmarks.paper.data import KEPT, LABELS, VARIANTS, WORD_ACCENTS, WORDS_SEED, utterances
from benchmarks.paper.measure import run_both, sine_errors
from benchmarks.paper.published import ENERGY, ERROR, MILLISECONDS, PARTS, SCORES
from benchmarks.paper.results import (
    SINE_OF_PAPER,
    figures_json,
    figures_of,
    power_rows,
    time_rows,
)
from benchmarks.paper.scores import Score, accuracy_of, counts_of, macro, score_of, squared_error
from tests.conftest import MODELS_FOLDER, PROJECT, ZooModel
from tests.frontends.builds import run
from tests.support.hand_written import target_or_skip

FOLDER = PROJECT / "benchmarks" / "paper"
TEXT = (MODELS_FOLDER / "paper.json").read_text(encoding="utf-8")
FIGURES = figures_of(TEXT)
SINES = {SINE_OF_PAPER: FOLDER / "sine.tflite", "sine": MODELS_FOLDER / "sine" / "sine.tflite"}


def test_the_file_is_read_as_it_is_written() -> None:
    assert figures_json(FIGURES) == TEXT
    assert [each.samples for each in FIGURES.answers] == [256, 200]
    assert all(each.equal == each.samples for each in FIGURES.sines)
    assert all(each.equal == each.samples for each in FIGURES.answers)


@pytest.mark.parametrize("name", SINES)
def test_sine(name: str) -> None:
    """Both models over both kinds of noise, with TFLM's bytes."""
    stored = [each for each in FIGURES.sines if each.model == name]
    found = sine_errors(name, SINES[name].read_bytes())
    for new, old in zip(found, stored, strict=True):
        assert (new.noise, new.samples, new.equal) == (old.noise, old.samples, old.equal)
        assert new.error == pytest.approx(old.error, rel=1e-6)
        assert new.noise_error == pytest.approx(old.noise_error, rel=1e-6)


def test_words(zoo_model: ZooModel) -> None:
    """Of the windows that are kept, our C has TFLM's bytes, and the page's table the answers."""
    with np.load(FOLDER / "words.npz", allow_pickle=False) as kept:
        features, labels = kept["features"], kept["labels"]
    both = run_both(zoo_model("speech").read_bytes(), "speech", features)
    assert both.equal == len(features) == math.ceil(256 / KEPT)
    counts = np.array(counts_of(both.ours.argmax(axis=1), labels, len(LABELS)))
    (whole,) = (np.array(each.counts) for each in FIGURES.answers if each.model == "speech")
    assert np.all(counts <= whole)
    assert np.all(counts.sum(axis=1) > 0)


def test_192_words() -> None:
    """64 of each class, by as many voices."""
    found = utterances(np.random.default_rng(WORDS_SEED))
    assert len(found) == 192
    assert len({(each.variant, each.accent) for each in found}) == 64
    assert (len(VARIANTS), len(WORD_ACCENTS)) == (16, 4)
    said = [each.word for each in found]
    assert (said.count("yes"), said.count("no")) == (64, 64)


@pytest.mark.parametrize("target", ["atmega328", "nrf52840"])
def test_sine_on_a_part(target: str) -> None:
    """As a table and as layers; the five parts have both rows."""
    part = target_or_skip(target)
    stored = [row for row in FIGURES.rows if row.target == target]
    with np.load(FOLDER / "sine.npz", allow_pickle=False) as vectors:
        model = SINES[SINE_OF_PAPER].read_bytes()
        compiler = stored[0].compiler
        found = measure_pair(model, SINE_OF_PAPER, part, dict(vectors), compiler=compiler)
    assert found == stored
    assert {row.target for row in FIGURES.rows} == {part.target for part in PARTS}
    assert len(FIGURES.rows) == 2 * len(PARTS)


def test_scores_by_hand() -> None:
    """2 of 3 given as class 0 are right, and 2 of 4 answered."""
    counts = counts_of([0, 0, 1, 0, 1, 0], [0, 0, 0, 1, 1, 1], 2)
    assert counts == ((2, 1), (2, 1))
    assert astuple(score_of(counts, 0)) == pytest.approx((2 / 4, 2 / 3, 4 / 7))
    assert astuple(score_of(counts, 1)) == pytest.approx((1 / 2, 1 / 3, 2 / 5))
    assert macro([Score(0, 0.5, 1), Score(1, 0.5, 0)]) == Score(0.5, 0.5, 0.5)
    assert accuracy_of(counts) == 0.5
    assert score_of(((0, 0), (0, 0)), 1) == Score(0, 0, 0)
    assert squared_error([1, 2], [3, 2]) == 2


def test_the_papers_figures_agree() -> None:
    """F1 of precision and recall, the root of the error, and one unit of energy for a model."""
    for precision, recall, f1 in SCORES.values():
        assert 2 * precision * recall / (precision + recall) == pytest.approx(f1, abs=0.002)
    for error, root in ERROR.values():
        assert math.sqrt(error) == pytest.approx(root, abs=2e-4)
    assert ENERGY.keys() == MILLISECONDS.keys()
    for key, (text, joules) in ENERGY.items():
        watts = joules / MILLISECONDS[key] * 1000
        assert (watts > 100) == text.endswith("mWh")


def test_energy_of_the_paper() -> None:
    """16 nWh are 57.6 microjoules; with mWh read as µWh, no board draws more than a watt."""
    row = next(row for row in FIGURES.rows if row.target == "nrf52840")
    (cells,) = time_rows([row])
    assert (cells["energy, TFLM"], cells["energy, MicroFlow"]) == ("778 µJ", "57.6 µJ")
    (cells,) = time_rows([replace(row, model="speech")])
    assert cells["energy, MicroFlow"] == "20,200 µJ (µWh)"
    for cells in power_rows():
        assert 0.2 < float(str(cells["if mWh is µWh"]).removesuffix(" W")) < 0.6


def test_energy_of_a_row() -> None:
    """The ESP32's currents, 224.4 mW, for the time of the core in its place."""
    row = next(row for row in FIGURES.rows if row.target == "xtensa_lx6")
    (cells,) = time_rows([row])
    assert row.milliseconds is not None
    assert cells["part"] == "ESP32"
    shown = float(str(cells["energy, here"]).strip("~µJ "))
    assert shown == pytest.approx(224.4 * row.milliseconds, rel=0.005)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            "paper target=nrf51",
            "scons: error: unknown variable 'target', expected one of models, docs\n",
        ),
        ("paper run", "scons: error: 'paper' is a whole command, expected no other verb with it\n"),
    ],
)
def test_refused(words: str, told: str) -> None:
    done = run([sys.executable, "-m", "SCons", "-Q", *words.split()], PROJECT)
    assert (done.returncode, done.stderr) == (2, told)


def test_folder_without_the_preprocessor(tmp_path: Path, zoo_model: ZooModel) -> None:
    """Told before anything is built, with the address."""
    for name in ("speech", "person_detect"):
        shutil.copy2(zoo_model(name), tmp_path)
    done = run([sys.executable, "-m", "SCons", "-Q", "paper", f"models={tmp_path}"], PROJECT)
    first, hint = done.stderr.splitlines()
    file = "audio_preprocessor_int8.tflite"
    error = f"no such file, expected '{file}' in the folder of models"
    assert (done.returncode, done.stdout, first) == (2, "", f"{tmp_path}/{file}: error: {error}")
    assert hint.startswith("  hint: it is at https://") and hint.endswith(f"/{file}")


def test_set_up() -> None:
    """`./tinyml paper` installs the tools of the five parts, and what speaks."""
    script = runpy.run_path(str(PROJECT / "tinyml"))
    assert {part.target for part in PARTS} < set(script["targets_named_by"](["paper"]))
    assert script["PAPER_PACKAGES"] == {"espeak-ng": "espeak-ng"}


def test_rows_of_the_page_are_exact() -> None:
    """All outputs of the paper's sine have TFLM's bytes on every part."""
    assert all(row.result is Result.EXACT for row in FIGURES.rows)
    assert Path(FOLDER / "sine.tflite").stat().st_size == 2680
