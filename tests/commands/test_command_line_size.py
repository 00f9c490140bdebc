"""`python -m tinyml_rules size`: a table of targets, without input data."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ZooModel
from tests.support.hand_written import target_or_skip
from tinyml_rules.api.size import SizeRow, SizeTable
from tinyml_rules.cli import main
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.relu.cases import relu
from tinyml_rules.reporting.sizes import three_digits
from tinyml_rules.target.target import load_target, target_names

SMALL = """\
description = "a part with little of both"
parent = "atmega328"
[memory]
flash = { bytes = 900 }
ram = { bytes = 90 }
"""
NOWHERE = """\
description = "a part that nobody has"
parent = "atmega328"
[toolchain]
prefix = "nowhere-"
[packages]
nowhere-gcc = "gcc-nowhere"
"""
FIRMWARE = re.compile(r"^atmega328 +(\d+) +32,768 +(\d+) +2,048 ")
FIGURES = ("flash_bytes", "ram_bytes", "stack_bytes", "constant_bytes", "arena_bytes")


@pytest.fixture
def size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Any:
    """A function from a model and options to what is printed."""
    for name, text in (("small", SMALL), ("nowhere", NOWHERE)):
        (tmp_path / "parts" / name).mkdir(parents=True)
        (tmp_path / "parts" / name / "target.toml").write_text(text)
    monkeypatch.chdir(tmp_path)

    def run(model: bytes, *words: str, command: str = "size", status: int = 0) -> str:
        (tmp_path / "net.tflite").write_bytes(model)
        found = main([command, "net.tflite", "--targets", "parts", *words])
        printed = capsys.readouterr()
        assert found == status, printed.err
        return printed.out if status == 0 else printed.err

    return run


def test_figures_are_those_of_a_run(size: Any) -> None:
    """The same firmware is built and measured, on each target in the order in which they are
    named; nothing is left behind."""
    targets = ["lm3s6965", "atmega328", "host"]
    for target in targets:
        target_or_skip(target)
    model = build_model(conv())
    rows = json.loads(size(model, "--target", ",".join([*targets, "host"]), "--json"))
    assert [row["target"] for row in rows] == targets
    assert sorted(path.name for path in Path().iterdir()) == ["net.tflite", "parts"]
    for row in rows:
        report = json.loads(size(model, "--target", row["target"], "--json", command="run"))
        assert {key: row[key] for key in FIGURES} == {key: report[key] for key in FIGURES}
        assert row["target_ram_bytes"] == report["target_ram_bytes"]
        assert (row["result"], row["detail"]) == ("fits", "")


def test_table(size: Any) -> None:
    """A row for each; what does not fit says by how much, what is missing is named."""
    target_or_skip("atmega328")
    printed = size(build_model(relu((1, 75))), "--target=atmega328, small,nowhere")
    title, head, *lines = printed.splitlines()
    assert title.startswith("net: minimal firmware in bytes")
    words = "target part's flash RAM stack constants arena result"
    assert set(words.split()) <= set(head.split())
    assert lines[0].endswith(" fits")
    assert lines[1].split() == ["small", "900", "90", "does", "not", "fit"]
    assert lines[2].split()[-2:] == ["missing", "tools"]
    flash, ram = FIRMWARE.findall(lines[0])[0]
    too_many = int(ram) - 90
    assert lines[3] == f"small: does not fit: {too_many} B of RAM too many ({ram} B)"
    assert int(flash) < 900
    assert lines[4] == (
        "nowhere: missing tools: nowhere-gcc: sudo apt-get install --yes gcc-nowhere"
    )
    assert len(lines) == 5


def test_run(size: Any, zoo_model: ZooModel) -> None:
    """Time and energy are those of `run`: of counted cycles on simavr, estimated elsewhere, and at
    the currents of the data sheets; a part without them has no energy."""
    targets = ["atmega2560", "nrf52840", "lm3s6965"]
    for target in targets:
        target_or_skip(target)
    model = zoo_model("kws").read_bytes()
    rows = json.loads(size(model, "--run", "--target", ",".join(targets), "--json"))
    avr, arm, other = rows
    for row, key in ((avr, "milliseconds"), (arm, "estimated_milliseconds")):
        report = json.loads(size(model, "--target", row["target"], "--json", command="run"))
        assert row["milliseconds"] == report[key]
        assert row["microjoules"] == report["estimated_microjoules"]
        assert {name: row[name] for name in FIGURES} == {name: report[name] for name in FIGURES}
    assert avr["microjoules"] == pytest.approx(5 * 20 * avr["milliseconds"])
    assert arm["microjoules"] == pytest.approx(3 * 3.3 * arm["milliseconds"])
    assert other["microjoules"] is None
    records, parts = [SizeRow(**row) for row in rows], list(map(load_target, targets))
    _, head, *lines = str(SizeTable("net", records, parts, has_run=True)).splitlines()
    assert head.split()[-5:] == ["time", "(ms)", "energy", "(µJ)", "result"]
    time, energy = (three_digits(avr[name]) for name in ("milliseconds", "microjoules"))
    assert lines[0].split()[-3:] == [time, f"~{energy}", "fits"]
    assert lines[1].split()[-3] == f"~{three_digits(arm['milliseconds'])}"
    assert lines[2].split()[-2:] == [f"~{three_digits(other['milliseconds'])}", "fits"]


def test_before_anything_is_built(size: Any) -> None:
    """Activations that are more than the RAM: at least by how much."""
    printed = size(build_model(relu((1, 3000))), "--target", "atmega328")
    assert printed.splitlines()[-1] == (
        "atmega328: does not fit: at least 952 B of RAM too many (3,000 B)"
    )


def test_options_and_mistakes(size: Any) -> None:
    """Compile options count; a model's own mistake and an unknown target are told once."""
    model = build_model(conv())
    static, caller = (
        json.loads(size(model, "--target=host", "--json", f"--arena={arena}"))[0]
        for arena in ("static", "caller")
    )
    assert caller["ram_bytes"] < static["ram_bytes"]
    assert size(b"no model", "--target=host,lm3s6965", status=1).count("error:") == 1
    assert "did you mean 'host'?" in size(model, "--target=host,hots", status=2)
    assert "expected targets separated by commas" in size(model, "--target=host,,", status=2)


def test_all_targets(size: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --target there is a row for each that is known, those of --targets too."""
    monkeypatch.setattr("tinyml_rules.api.size.missing_tools", lambda target: target.tools)
    tool_less = {"host"}  # the one for which nothing can be missing
    targets = [name for name in target_names() if name not in tool_less]
    rows = json.loads(size(build_model(relu((1, 4))), "--json"))
    found = {row["target"]: row["result"] for row in rows}
    assert set(found) >= {*targets, "nowhere", "small"}
    assert {found[name] for name in targets} == {"missing tools"}
