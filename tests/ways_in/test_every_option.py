"""For each option of the table, each way in gives what the command line gives, byte for byte.

The model has layers; Bazel's turn is in tests/bazel/test_every_option.py.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.hand_written import target_or_skip
from tests.ways_in.samples import (
    SAMPLES,
    TARGET,
    TOGETHER,
    Outcome,
    outcome,
    through_command_line,
    write_project,
)
from tests.ways_in.ways import WAYS
from tinyml_rules.request.options import OPTIONS

NEEDED = {"operators"}
"""Without which the model of its sample is refused."""


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """By the name of a sample, what the command line gives."""
    folder = tmp_path_factory.mktemp("command_line")
    write_project(folder)
    before = Path.cwd()
    os.chdir(folder)
    try:
        return {
            each.name: through_command_line(each, each.options, Path("out"))
            for each in (*SAMPLES, *TOGETHER)
        }
    finally:
        os.chdir(before)


def test_every_option_has_a_sample() -> None:
    """And each name is that of one sample."""
    assert {each.option for each in SAMPLES} == set(OPTIONS)
    assert len({each.name for each in (*SAMPLES, *TOGETHER)}) == len(SAMPLES) + len(TOGETHER)


def test_every_sample_changes_something(
    expected: dict[str, Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a way in that drops the option would be like one that passes it on."""
    write_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    same = [
        each.name
        for each in SAMPLES
        if each.option not in NEEDED
        and through_command_line(each, each.others, tmp_path / "out") == expected[each.name]
    ]
    assert same == []


def test_every_option_changes_something(
    expected: dict[str, Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of those that are together, each; some are refused without it."""
    write_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    same = []
    for each in TOGETHER:
        for option in {*each.options} - NEEDED:
            less = {name: value for name, value in each.options.items() if name != option}
            if through_command_line(each, less, tmp_path / option) == expected[each.name]:
                same.append(option)
    assert same == []


@pytest.mark.parametrize("way", WAYS)
def test_way(way: str, expected: dict[str, Outcome], tmp_path: Path) -> None:
    """C, header, weights file and report of every sample."""
    target_or_skip(TARGET)
    write_project(tmp_path)
    places = WAYS[way](tmp_path)
    sampled = [each.options for each in (*SAMPLES, *TOGETHER) if each.name in places]
    assert set().union(*sampled) == set(OPTIONS)
    differing = [name for name in places if outcome(places[name], name) != expected[name]]
    assert differing == []
