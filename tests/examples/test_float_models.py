"""Each example of a float model, built and run by its one command, is as right as its page says."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.frontends.builds import run
from tests.support.hand_written import PROJECT, target_or_skip
from tests.support.litert import litert_outputs
from tinyml_rules.sensor.description import read_description
from tinyml_rules.sensor.real_values import real_values

EXAMPLES = PROJECT / "examples"
PARTS = {"digits": "atmega328", "motion": "nrf51", "rfc_cnn": "nrf52840"}


@pytest.mark.parametrize("name", PARTS)
def test_float_file_to_answers(name: str, tmp_path: Path) -> None:
    """One command; a second one has nothing to do."""
    target_or_skip(PARTS[name])
    for folder in (name, "boards"):
        ignore = shutil.ignore_patterns("build", ".sconsign.dblite")
        shutil.copytree(EXAMPLES / folder, tmp_path / folder, ignore=ignore)
    command = [sys.executable, "-m", "SCons", "-Q"]
    variables = {"PYTHONPATH": str(PROJECT)}
    built = run(command, tmp_path / name, variables=variables)
    assert built.returncode == 0, built.stdout + built.stderr
    right, count = _figures(r"accuracy [\d.]+ \((\d+) of (\d+)\)", built.stdout)
    assert _row(name, "this computer") == (right, count)
    assert _row(name, "a part of the same") == _figures(r"(\d+) of (\d+) samples", built.stdout)
    sizes = re.findall(r"SIZE .*: (\S+ kB) flash, (\S+ k?B) RAM, (\S+ k?B) of it", built.stdout)
    assert [_sizes(name)] == sizes
    again = run(command, tmp_path / name, variables=variables)
    assert "is up to date" in again.stdout, again.stdout


@pytest.mark.parametrize("name", PARTS)
def test_float_model(name: str) -> None:
    """LiteRT gives what the page says of the float file, and int8 is at most 0.5 % below."""
    folder = EXAMPLES / name
    with np.load(folder / "evaluation.npz") as arrays:
        raw, labels = arrays[f"{name}/input"], arrays["labels"]
    described = read_description(folder / "sensor.toml").inputs
    (real,) = (real_values(each, raw, where=name) for each in described.values())
    model = (folder / f"{name}.tflite").read_bytes()
    (scores,) = litert_outputs(model, [real[:, np.newaxis]])
    right = int((scores.reshape(len(labels), -1).argmax(axis=1) == labels).sum())
    assert (right, len(labels)) == _row(name, "LiteRT")
    assert _row(name, "this computer")[0] >= right - 0.005 * len(labels)


def _page(name: str) -> str:
    return (EXAMPLES / name / "README.md").read_text(encoding="utf-8")


def _row(name: str, what: str) -> tuple[int, int]:
    """(right, of) in the table."""
    return _figures(rf"\|[^|]*{what}[^|]*\| (\d+) \| (\d+) \|", _page(name))


def _sizes(name: str) -> tuple[str, ...]:
    """Flash, RAM and stack in the text."""
    text = " ".join(_page(name).split())
    found = re.search(r"takes (\S+ kB) of flash.* and (\S+ k?B) of RAM, (\S+ k?B) of it", text)
    assert found is not None
    return found.groups()


def _figures(pattern: str, text: str) -> tuple[int, int]:
    right, count = re.findall(pattern, text)[0]
    return int(right), int(count)
