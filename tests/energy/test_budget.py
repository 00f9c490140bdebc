"""`max_energy` on the command line, in the file next to the model, and in `diff`; SCons keeps it in
tests/frontends/test_scons_builders.py."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.hand_written import target_or_skip
from tests.support.sine_command import PART, WORDS, Ran, command
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.request.options_file import read_options
from tinyml_rules.target.target import load_target

__all__ = ["command"]


@pytest.mark.parametrize(
    ("word", "microjoules"),
    [
        ("10", 10),
        ("10uJ", 10),
        ("10 µJ", 10),
        ("2.5 mJ", 2500),
        ("500 nJ", 0.5),
        ("1J", 1_000_000),
        (7, 7),
        (0.25, 0.25),
    ],
)
def test_units(word: object, microjoules: float) -> None:
    assert OPTIONS["max_energy"].parse(word) == pytest.approx(microjoules)


def test_energy_and_its_budget(command: Ran) -> None:
    """Cycles at the part's clock and power; one that is met, one that is not, by name of nodes."""
    status, printed, _ = command("run", *WORDS, "--json")
    assert status == 0
    report = json.loads(printed)
    milliwatts = 5 * 5.2 * 20 / 8
    energy = report["cycles"] / 20_000 * milliwatts
    assert report["estimated_microjoules"] == pytest.approx(energy)
    assert f", ~{energy:.1f} µJ\n" in command("run", *WORDS)[1]
    assert command("run", *WORDS, f"--max-energy={energy + 0.001} uJ")[0] == 0
    status, printed, told = command("run", *WORDS, "--max-energy=10uJ")
    assert (status, printed) == (1, "")
    assert told.startswith(
        f"sine: error: takes about {energy:.1f} microjoules, {energy - 10:.2f} more than "
        "--max-energy=10; largest: node 1 (FULLY_CONNECTED) with "
    )


def test_where_nobody_knows(command: Ran) -> None:
    """A part without [power], and a computer that counts nothing."""
    for part in ("atsamv71", "host"):
        target_or_skip(part)
        assert load_target(part).power is None
        status, _, told = command("run", "sine.tflite", "--target", part, "--max-energy=1")
        assert status == 2
        first, hint = told.splitlines()
        assert first == (
            "sine: error: --max-energy=1 cannot be checked: there is no figure in microjoules"
        )
        assert "[power]" in hint


def test_in_the_file_beside_the_model(command: Ran) -> None:
    """With a unit or without."""
    file = Path("sine.tinyml.toml")
    for text, value in (("3", 3), ("0.02", 0.02), ('"1 nJ"', 0.001), ('"10 uJ"', 10)):
        file.write_text(f"[target.{PART}]\nmax_energy = {text}\n", encoding="utf-8")
        assert read_options(file, PART) == {"max_energy": pytest.approx(value)}
    told = command("run", *WORDS)[2]
    assert ", 4.36 more than --max-energy=10; " in told
    file.write_text("max_energy = true\n", encoding="utf-8")
    told = command("run", "sine.tflite", "--target", PART)[2]
    assert "'max_energy' is True, expected a string such as '10 uJ'" in told
    told = command("run", *WORDS, "--options=", "--max-energy=2 kWh")[2]
    assert told.startswith("max_energy: error: found '2 kWh', expected an energy such as 10 uJ")


def test_what_a_change_costs(command: Ran) -> None:
    """Bounds of a report and of growth."""
    energy = {}
    for name, optimize in (("old", "balanced"), ("new", "layers")):
        words = ("run", "sine.tflite", "--target", PART, "--optimize", optimize, "--json")
        text = command(*words)[1]
        Path(f"{name}.report.json").write_text(text, encoding="utf-8")
        energy[name] = json.loads(text)["estimated_microjoules"]
    old, new = energy["old"], energy["new"]
    pair = ("old.report.json", "new.report.json")
    assert command("diff", *pair, "--max-energy=1mJ")[0] == 0
    told = command("diff", *pair, "--max-energy=2", "--max-energy-growth=3")[2]
    assert f"error: takes about {new:.1f} microjoules, {new - 2:.1f} more than --max-energy" in told
    more = new - old - 3
    assert f"error: grew by {new - old:.1f} to {new:.1f} microjoules, {more:.1f} more than " in told
    told = command("diff", *pair, "--max-energy-growth=100%")[2]
    assert f" microjoules, {new - 2 * old:.1f} more than --max-energy-growth=100%\n" in told
    assert command("diff", *reversed(pair), "--max-energy-growth=0")[2] == ""
