"""Budgets of the command line: judged by figures that the same build has without them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.support.hand_written import target_or_skip
from tests.support.sine_command import PART, WORDS, Ran, command

__all__ = ["command"]

FIGURES = {
    "max-flash": ("flash_bytes", "bytes of flash"),
    "max-ram": ("ram_bytes", "bytes of RAM"),
    "max-arena": ("arena_bytes", "bytes of arena"),
    "max-stack": ("stack_bytes", "bytes of stack"),
    "max-cycles": ("cycles", "cycles"),
}


def report_of(command: Ran, *words: str) -> dict[str, Any]:
    """What a run tells."""
    status, printed, told = command("run", *WORDS, "--profile", "--json", *words)
    assert (status, told) == (0, "")
    found: dict[str, Any] = json.loads(printed)
    return found


def consumers(report: dict[str, Any]) -> dict[str, list[tuple[str, int]]]:
    """What each figure is made of, from other parts of a report than the budgets read."""
    path = [(each["function"], each["bytes"]) for each in report["stack_path"]]
    assert sum(size for _, size in path) == report["stack_bytes"]
    counts = {each["label"]: each for each in report["profile"]["nodes"]}
    return {
        "max-flash": [(each["symbol"], each["flash_bytes"]) for each in report["symbols"]],
        "max-ram": [
            *((each["symbol"], each["ram_bytes"]) for each in report["symbols"]),
            ("the stack", report["stack_bytes"]),
        ],
        "max-arena": [
            (f"tensor #{each['tensor']} {each['name']!r}", each["bytes"])
            for each in report["peak"]["tensors"]
        ],
        "max-stack": path,
        "max-cycles": [
            (f"node {label} (FULLY_CONNECTED)", each["count"]) for label, each in counts.items()
        ],
    }


def test_one_less_than_it_takes(command: Ran) -> None:
    """Each budget by itself: met by its figure, broken by one less, with the three largest
    consumers; the code is the same as without."""
    report = report_of(command)
    made_of = consumers(report)
    least = {budget: report[key] for budget, (key, _) in FIGURES.items()}
    least["max-cycles"] = json.loads(command("wcet", *WORDS, "--json")[1])["cycles"]
    again = report_of(command, *(f"--{budget}={figure}" for budget, figure in least.items()))
    options = again.pop("options")
    assert {name: options.pop(name) for name in list(options) if name.startswith("max_")} == {
        budget.replace("-", "_"): figure for budget, figure in least.items()
    }
    assert {**again, "options": options} == report
    for budget, (key, words) in FIGURES.items():
        status, printed, told = command("run", *WORDS, f"--{budget}={report[key] - 1}")
        assert (status, printed) == (1, "")
        first, *_ = told.splitlines()
        figure, named = first.split("; largest: ")
        assert figure == (
            f"sine: error: takes {report[key]:,} {words}, 1 more than --{budget}={report[key] - 1}"
        )
        largest = sorted(made_of[budget], key=lambda each: -each[1])[:3]
        expected = [f"{name} with {size:,}" for name, size in largest if size]
        assert named == ", ".join(expected)
    status, _, told = command("run", *WORDS, f"--max-cycles={least['max-cycles'] - 1}")
    bound = f"sine: error: takes {least['max-cycles']:,} cycles at most, a bound, 1 more than "
    assert (status, told.startswith(bound)) == (1, True)


def test_before_there_is_a_firmware(command: Ran) -> None:
    """`compile` judges what it knows, says what would take less, and writes nothing."""
    report = report_of(command)
    less = report["constant_bytes"] - 1
    status, _, told = command("compile", *WORDS, f"--max-flash={less}", "--out", "made")
    assert status == 1
    assert f"{less + 1} bytes of flash for constants alone, 1 more than --max-flash={less}" in told
    assert "largest: node 1 (FULLY_CONNECTED) with 222, node 0 (FULLY_CONNECTED) with 70" in told
    assert "hint: what takes less:\n    --weights=external" in told
    assert not Path("made").exists()
    assert command("compile", *WORDS, f"--max-flash={less + 1}", "--out", "made")[0] == 0


def test_several_at_once_in_the_file_beside_the_model(command: Ran) -> None:
    """A table for one target counts there alone; the command line counts more."""
    Path("sine.tinyml.toml").write_text(
        "max_ram = 30\n"
        f"[target.{PART}]\nmax_stack = 20 # raised for the second head\nmax_ram = 40\n"
    )
    status, _, told = command("run", *WORDS)
    assert status == 1
    assert [re.findall("--max[a-z=0-9-]+", line) for line in told.splitlines()] == [
        ["--max-ram=40"],
        ["--max-stack=20"],
    ]
    assert command("run", *WORDS, "--max-ram=2000", "--max-stack=2000")[0] == 0
    assert command("compile", "sine.tflite", "--optimize=layers", "--out", "host")[0] == 0


def test_a_test_and_what_nobody_counts(command: Ran) -> None:
    """`test` keeps the budget too.  One that cannot be judged is no budget that is kept."""
    words = ("sine.tflite", "--vectors", "vectors.npz", "--target", PART)
    status, printed, _ = command("test", *words, "--max-cycles=19")
    assert (status, printed.splitlines()[1:]) == (
        0,
        ["budget of cycles: judged for all inputs, 19 cycles at most"],
    )
    status, _, told = command("test", *words, "--max-cycles=18")
    assert (status, told) == (
        1,
        "sine: error: takes 19 cycles, 1 more than --max-cycles=18; largest: node 2 (LOOKUP) "
        "with 12\n",
    )
    status, _, told = command("run", *WORDS, "--max-instructions=5")
    assert (status, told.splitlines()[0]) == (
        2,
        "sine: error: --max-instructions=5 cannot be checked: there is no figure in instructions",
    )
    assert command("run", "sine.tflite", "--max-stack=5")[0] == 2


def test_estimated_cycles(command: Ran) -> None:
    """Where instructions are counted cycles are an estimate, which the error says; this core has no
    bound."""
    target_or_skip("atsamv71")
    words = ("sine.tflite", "--target=atsamv71", "--optimize=layers")
    report = json.loads(command("run", *words, "--json")[1])
    for budget, key, about in (
        ("max-cycles", "estimated_cycles", "about "),
        ("max-instructions", "instructions", ""),
    ):
        least = report[key] - 1
        status, _, told = command("run", *words, f"--{budget}={least}")
        word = budget.removeprefix("max-")
        assert status == 1
        if about:
            printed = command("run", *words, f"--{budget}={report[key]}")[1]
            assert "\nbudget of cycles: judged by this run alone, there is no bound on " in printed
        assert told.startswith(
            f"sine: error: takes {about}{report[key]:,} {word}, 1 more than --{budget}={least}; "
            "largest: node "
        )


def test_measured_firmware(command: Ran) -> None:
    """One that another build linked."""
    assert command("run", *WORDS, "--build-dir", "built")[0] == 0
    (elf,) = (file for file in Path("built").rglob("*.elf") if "test" not in file.name)
    report = report_of(command)
    words = ("measure", str(elf), "--target", PART)
    assert command(*words, f"--max-flash={report['flash_bytes']}")[0] == 0
    status, _, told = command(*words, f"--max-flash={report['flash_bytes'] - 1}", "--max-ram=0")
    assert status == 1
    assert told.startswith(f"{elf.name}: error: takes {report['flash_bytes']:,} bytes of flash, 1 ")
    assert re.search(r"error: takes 29 bytes of RAM, 29 more than --max-ram=0; largest: ", told)
