"""The page of each core: what its registers hold, and the figure that it reaches."""

from __future__ import annotations

import json
import re

import pytest

from tests.conftest import PROJECT
from tinyml_rules.cores import all_cores, core_of
from tinyml_rules.target.target import load_target

FIGURE = re.compile(r"\(`(\w+)`\) takes\s([\d.]+ \w+) a product")
COMMAND = re.compile(r"^\./tinyml bench model=layers target=(\w+)$", re.MULTILINE)
LAYERS = json.loads((PROJECT / "benchmarks" / "layers.json").read_text(encoding="utf-8"))
PAIR = re.compile(r"^\./tinyml bench target=(\w+),(\w+)$", re.MULTILINE)
OF_MODEL = re.compile(
    r"^\| (\w+)(?:, `([\w=]+)`)? \| ([\d,]+) \| ([\d,]+) \| ([\d.]+) % \|$", re.MULTILINE
)
MODELS = json.loads((PROJECT / "models" / "results.json").read_text(encoding="utf-8"))
COMPARED = {"riscv_b": "riscv"}
"""Cores that differ little from another one: whole models tell how much."""


@pytest.mark.parametrize("name", all_cores())
def test_figure_is_the_measured_one(name: str) -> None:
    """Of the target that the command names, which has the core or one that builds on it."""
    text = (all_cores()[name].folder / "README.md").read_text(encoding="utf-8")
    assert text.startswith("# ")
    commands, figures = COMMAND.findall(text), FIGURE.findall(text)
    assert len(commands) == len(figures) <= 1
    for target, (layer, figure) in zip(commands, figures, strict=True):
        core = core_of(load_target(target).features)
        assert name in {core.name} | core.beats
        (row,) = (each for each in LAYERS if (each["target"], each["layer"]) == (target, layer))
        assert figure == f"{row['count'] / row['macs']:.2f} {row['unit']}"


@pytest.mark.parametrize("name", COMPARED)
def test_models_are_the_measured_ones(name: str) -> None:
    """All that the zoo has, on a target of the other core and on one of this core."""
    text = (all_cores()[name].folder / "README.md").read_text(encoding="utf-8")
    ((before, after),) = PAIR.findall(text)
    cores = [core_of(load_target(target).features).name for target in (before, after)]
    assert cores == [COMPARED[name], name]
    counts = {(row["target"], row["model"], row["settings"]): row["instructions"] for row in MODELS}
    found = {(model, settings): rest for model, settings, *rest in OF_MODEL.findall(text)}
    assert {model for model, _ in found} == {row["model"] for row in MODELS}
    for (model, settings), told in found.items():
        first, second = (counts[target, model, settings] for target in (before, after))
        assert told == [f"{first:,}", f"{second:,}", f"{100 * second / first:.1f}"]


def test_cores_of_targets_have_a_figure() -> None:
    """All but those that others build on, and those that are compared by models."""
    without = {
        name
        for name, core in all_cores().items()
        if not COMMAND.search((core.folder / "README.md").read_text(encoding="utf-8"))
    }
    ordered = {"dsp_dual_issue"}  # `test_dual_issue.py` compares estimated cycles
    assert without == {"avr_plain", "plain", "plain32", "plain64"} | COMPARED.keys() | ordered
