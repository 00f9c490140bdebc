"""`run --profile`: the table, the report, and a target that counts nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.docs.pages import read_page
from tests.frontends.builds import SINE
from tests.support.hand_written import target_or_skip
from tinyml_rules.cli import main

MODEL = SINE / "sine.tflite"


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What the command prints of the layers when all goes well."""
    assert main(["run", str(MODEL), "--optimize", "layers", *words]) == 0
    return capsys.readouterr().out


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    """The slowest first, then what is between them; the column adds up to the total, and to what is
    told of the run."""
    target_or_skip("atmega328")
    text = printed(capsys, "--target", "atmega328", "--profile")
    (head, *rows) = text[text.index("  profile    cycles of each node") :].splitlines()[1:]
    assert head.split("  ")[-1] == "x floor"
    counts = [int(re.findall(r"[\d,]{2,}", row)[0].replace(",", "")) for row in rows[:-1]]
    *nodes, between, total = counts
    assert nodes == sorted(nodes, reverse=True)
    assert sum(nodes) + between == total
    assert [row.split()[:2] for row in rows[:3]] == [
        [node, "FULLY_CONNECTED"] for node in ("1", "0", "2")
    ]
    assert f"inference  {total:,} cycles" in text
    assert rows[-1] == "    profiling did not change the total"
    assert text[text.index("  profile  ") :] in read_page("how-to/profile.md")


def test_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of several samples the slowest one is told, and the outputs are as without a profile."""
    target_or_skip("lm3s6965")
    samples = np.arange(-128, 128, 5).astype(np.int8).reshape(-1, 1, 1)
    np.save(tmp_path / "in.npy", samples)
    words = ["--target", "lm3s6965", "--input", str(tmp_path / "in.npy"), "--json", "--output"]
    plain: Any = json.loads(printed(capsys, *words, str(tmp_path / "plain.npy")))
    report: Any = json.loads(printed(capsys, *words, str(tmp_path / "out.npy"), "--profile"))
    profile = report.pop("profile")
    assert report == plain
    assert (tmp_path / "out.npy").read_bytes() == (tmp_path / "plain.npy").read_bytes()
    assert profile["unit"] == "instructions"
    assert profile["total"] == report["instructions"] + profile["difference"]
    assert profile["slowest"] == [f"{node} (fully_connected)" for node in (1, 0, 2)]
    assert sum(each["share"] for each in profile["nodes"]) == pytest.approx(
        1 - profile["between_nodes"] / profile["total"], abs=1e-5
    )
    kernels = [(each["node"], each["op"], each["kernel"]) for each in profile["nodes"]]
    assert kernels == [(each["node"], each["op"], each["kernel"]) for each in report["nodes"]]


def test_without_a_counter(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(MODEL), "--profile", "--target", "host"]) == 2
    error = capsys.readouterr().err
    expected = (
        "run: error: 'host' has no counter, expected a target with an emulator to profile on\n"
    )
    assert error.startswith(expected)
    assert error.count("\n") == 2
