"""What fuzzing tries: the inputs that it kept are handled, faults put in deliberately are found."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from requirements.checks import FUZZED, fuzz, fuzz_kinds
from tests.conftest import PROJECT
from tests.fuzz import image, round_trip
from tests.fuzz.odd_values import with_odd_values
from tests.fuzz.seeds import CORPUS, SEEDS, dictionary
from tests.support.clean_errors import clean_errors
from tests.support.operator_cases import cases_of, file_of
from tinyml_rules.errors import ModelError

IN_PYTHON = ("reader", "descriptions", "round_trip")
MOST_BYTES = 20_000


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], ["reader", "descriptions", "round_trip", "image"]),
        (["what=image,reader", "seconds=600", "seed=3"], ["image", "reader"]),
        (["runs=1000"], list(FUZZED)),
    ],
)
def test_words(words: list[str], expected: list[str]) -> None:
    """Which kinds are asked for; all of them have seeds."""
    assert fuzz_kinds(words) == expected
    assert list(FUZZED) == list(SEEDS)


@pytest.mark.parametrize(
    ("word", "text"),
    [
        (
            "what=readers",
            "unknown 'readers', expected one of reader, descriptions, round_trip, image",
        ),
        ("seconds=1m", "'seconds' is '1m', expected a whole number"),
        ("-x", "unknown '-x', expected what, seconds, runs, seed and a value"),
    ],
)
def test_unknown_word(word: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is set up for it."""
    assert fuzz([word]) == 3
    assert capsys.readouterr().err == f"tinyml: error: {text}\n"


@pytest.mark.parametrize("kind", IN_PYTHON)
def test_kept_inputs(kind: str) -> None:
    """No other error than the package's own."""
    files = sorted((CORPUS / kind).iterdir())
    assert files
    one_input = importlib.import_module(f"tests.fuzz.{kind}").one_input
    for file in files:
        one_input(file.read_bytes())


def test_corpus_is_small() -> None:
    """It is read in each run of the tests."""
    sizes = [file.stat().st_size for file in CORPUS.rglob("*") if file.is_file()]
    assert sum(sizes) < MOST_BYTES


def test_image(tmp_path: Path) -> None:
    """The inputs of its kind under sanitizers; a check that is wrong is found by them."""
    inputs = [file.read_bytes() for file in sorted((CORPUS / "image").iterdir())]
    inputs += image.seeds().values()
    files = [tmp_path / f"input_{number}" for number in range(len(inputs))]
    for file, data in zip(files, inputs, strict=True):
        file.write_bytes(data)
    program = image.program(image.REPLAY, tmp_path / "right")
    subprocess.run([program, *files], check=True, timeout=60)
    for text, wrong in (
        ("!= PLAIN_IMAGE_BYTES", "== 0"),  # another size
        ("at < PLAIN_IMAGE_BYTES;", "at < PLAIN_IMAGE_BYTES + 1;"),  # a byte behind it
    ):
        program = image.program(image.REPLAY, tmp_path / wrong[:2], changed={text: wrong})
        done = subprocess.run([program, *files], check=False, capture_output=True, timeout=60)
        assert done.returncode != 0, text


def test_worker() -> None:
    """atheris counts branches of the package in the kept inputs, and ends without a fault."""
    pytest.importorskip("atheris")
    command = [sys.executable, "-m", "tests.fuzz.worker", "descriptions", "-runs=1"]
    done = subprocess.run(
        [*command, CORPUS / "descriptions"],
        cwd=PROJECT,
        check=True,
        capture_output=True,
        text=True,
        timeout=600,
    )
    covered = [int(count) for count in re.findall(r"cov: (\d+)", done.stderr)]
    assert covered[-1] > 1000


def test_what_is_a_fault() -> None:
    """Another error than the package's, or one with text that does not print."""
    with clean_errors():
        raise ModelError.at("model", "broken")
    with pytest.raises(AssertionError, match="unclean message"), clean_errors():
        raise ModelError.at("model", "a name\nof two lines")
    with pytest.raises(TypeError), clean_errors():
        raise TypeError


def test_a_reader_that_loses_something(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tensor's name, or what is written again, is missed."""
    case = cases_of("add")["same_shape"]
    round_trip.check(case)
    other = file_of(cases_of("relu")["factor_above_1"])
    monkeypatch.setattr(round_trip, "write_graph", lambda *_: other)
    with pytest.raises(AssertionError):
        round_trip.check(case)


def test_odd_values() -> None:
    """Files of both kinds are still such files, and most of them say something else."""
    for kind, text in (
        ("o", 'ram = "least"\n[target.host]\nplace = ["0=a", "1=b"]\n'),
        ("r", '{"a": [1, {}]}'),
    ):
        data = (kind + text).encode()
        made = [with_odd_values(data, seed) for seed in range(200)]
        assert sum(each != data for each in made) > 150
        for each in made:
            json.loads(each[1:]) if kind == "r" else tomllib.loads(each[1:].decode())
    assert with_odd_values(b"o[", 1) == b"o["


def test_dictionary() -> None:
    """It has the keys of the files, as libFuzzer writes words."""
    lines = dictionary().splitlines()
    assert {'"optimize"', '"raw"', '"threshold"', '"parent"'} <= set(lines)
    assert all(line[0] == line[-1] == '"' and '"' not in line[1:-1] for line in lines)
