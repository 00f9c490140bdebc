"""What stands on the page of a report, and which reports it takes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import PROJECT, ZooModel
from tests.frontends.builds import SINE
from tests.report_page.pages import hostile_report
from tests.support.hand_written import target_or_skip
from tinyml_rules.cli import main
from tinyml_rules.compiler import compile_model
from tinyml_rules.report_page.graph import HEIGHT, WIDTH, drawing
from tinyml_rules.report_page.page import page
from tinyml_rules.reporting.firmware import Build, Flash, Run
from tinyml_rules.reporting.flash import with_flash
from tinyml_rules.reporting.record import from_json, to_json
from tinyml_rules.reporting.report import Report
from tinyml_rules.request.request import Request
from tinyml_rules.runners.figures import describe_size
from tinyml_rules.runners.model import build_minimal
from tinyml_rules.target.target import load_target

MODEL = SINE / "sine.tflite"


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    """Of a model that branches and joins."""
    return hostile_report()


def test_bytes_are_the_same(report: dict[str, Any], tmp_path: Path) -> None:
    """In other processes, from the file of the report, and nothing of this computer is in them."""
    file = tmp_path / "it.report.json"
    file.write_text(json.dumps(report))
    found = set()
    for seed in ("1", "2"):
        output = tmp_path / seed / "page.html"
        command = [sys.executable, "-m", "tinyml_rules", "report", str(file), "-o", str(output)]
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(PROJECT)}
        subprocess.run(command, check=True, env=environment, capture_output=True)
        found.add(output.read_bytes())
    assert found == {page([from_json(Report, report)]).encode()}
    (text,) = found
    assert str(tmp_path).encode() not in text


def test_graph_goes_down(report: dict[str, Any]) -> None:
    """A node is below all that it reads from, and no two are at one place."""
    found = drawing(from_json(Report, report))
    boxes = {each.label: each for each in found.boxes}
    assert [(node["label"], node["after"]) for node in report["nodes"]] == [
        ("0", []),
        ("1", ["0"]),
        ("2", ["1", "0"]),
    ]
    for node in report["nodes"]:
        for source in node["after"]:
            assert boxes[source].y + HEIGHT < boxes[node["label"]].y
    assert len({(each.x, each.y) for each in found.boxes}) == len(report["nodes"])
    assert len(found.edges) == 3


def test_streams_are_framed(zoo_model: ZooModel) -> None:
    """What runs row by row together, and nothing else."""
    model = zoo_model("person_detect").read_bytes()
    report = compile_model(Request(model, "it", load_target("nrf52840"))).report
    found = drawing(report)
    for frame, stream in zip(found.frames, report.streams, strict=True):
        inside = [
            each.label
            for each in found.boxes
            if frame.x < each.x < each.x + WIDTH < frame.x + frame.width
            and frame.y < each.y < each.y + HEIGHT < frame.y + frame.height
        ]
        assert inside == [str(node) for node in stream]
    text = page([report])
    assert len(text) < 75_000
    saved = [int(each.replace(",", "")) for each in re.findall(r">([\d,]+) B of RAM</td>", text)]
    options = [each for each in report.remedies if each.option]
    assert saved == sorted((each.saved_bytes for each in options), reverse=True) != []
    assert len(options) < len(report.remedies)
    assert "Push rows of the input as they arrive, so that its 9,216 bytes are not stored" in text
    assert "#55" not in text.partition("What would help?")[2]


def test_flash_is_the_linkers(zoo_model: ZooModel, tmp_path: Path) -> None:
    """The sums are those of binutils' nm, and all of them make up the flash."""
    target = target_or_skip("atmega1284p")
    compiled = compile_model(Request(zoo_model("speech").read_bytes(), "speech", target))
    _, size = build_minimal(compiled, target, folder=tmp_path)
    report = to_json(with_flash(replace(compiled.report, build=describe_size(size, target))))
    flash: Any = report["flash"]
    nm = [target.toolchain.program("nm"), "--print-size", str(tmp_path / "speech_minimal.elf")]
    lines = subprocess.run(nm, check=True, capture_output=True, encoding="utf-8").stdout
    found = re.findall(r"^\w+ (\w+) [tT] (speech_\S+)$", lines, re.MULTILINE)
    sizes = {name: int(digits, 16) for digits, name in found}
    named = [name for name in sizes if "_node_" in name]
    weights = {name: sizes[name] for name in named if name.endswith("_weights")}
    assert flash["weights_bytes"] == sum(weights.values()) > 16_000
    by_node = {each["label"]: each["weights_bytes"] for each in flash["nodes"]}
    of_nodes = {f"speech_node_{label}_weights": size for label, size in by_node.items() if size}
    assert of_nodes == weights
    tables = set(named) - set(weights)
    assert flash["tables_bytes"] == sum(sizes[name] for name in tables) > 0
    functions = {each["symbol"]: each["bytes"] for each in flash["functions"]}
    assert functions == {name: sizes[name] for name in sizes if "_node_" not in name}
    keys = ("weights_bytes", "tables_bytes", "code_bytes", "startup_bytes", "unnamed_bytes")
    assert sum(flash[key] for key in keys) == report["flash_bytes"]
    shared = sum(each["kernel_bytes"] for each in flash["nodes"])
    assert shared == sum(each["bytes"] for each in flash["functions"] if each["nodes"]) > 0


def test_budgets(report: dict[str, Any]) -> None:
    """A tick in the bar at what may be taken, and the figure in words."""
    build = Build(
        flash_bytes=500,
        ram_bytes=50,
        static_ram_bytes=40,
        stack_bytes=10,
        stack_path=(),
        interrupts=(),
        invoke_stack_bytes=None,
        largest=(),
        symbols=(),
        compiler_flags=(),
        clock_hz=None,
        target_flash_bytes=2000,
        target_ram_bytes=200,
    )
    budgets = {"max_flash": 1500, "max_instructions": 1234}
    built = replace(
        from_json(Report, report),
        options=budgets,
        build=build,
        flash=Flash(0, 0, 0, 0, 500, (), ()),
        run=Run(instructions=1000, invoke_stack_measured_bytes=None),
    )
    text = page([built])
    assert '<rect class="fill" width="25.0" height="8"/><rect class="tick" x="75.0"' in text
    assert "25.0\u202f% of 2,000 B; budget 1,500 B; " in text
    assert "budget 1,234; the slowest inference" in text
    assert text.count('class="tick"') == 1


def test_without_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the compiler knows by itself, and what would bring the rest."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "path", [str(PROJECT)])
    output = tmp_path / "page.html"
    words = ["report", str(MODEL), "--target", "nrf52840", "--target", "esp8266"]
    assert main([*words, "--output", str(output)]) == 0
    text = output.read_text(encoding="utf-8")
    assert "Nothing was built for nrf52840" in text
    assert "sudo apt-get install --yes " in text
    assert "One inference" not in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"timeline": None}, "is no report that tinyml_rules wrote ('timeline' is no object"),
        ({"nodes": [{}]}, "has no 'nodes[0].node', expected a report of this version"),
        ({"model": "--><script>"}, "names no model, expected the prefix of its C symbols"),
    ],
)
def test_reports_of_others(
    change: dict[str, Any],
    message: str,
    report: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One error that names the file, and no page."""
    assert_refused({**report, **change}, message, tmp_path, capsys)


def test_report_of_another_version(
    report: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is missing, and what to do."""
    older = {key: value for key, value in report.items() if key != "timeline"}
    message = "has no 'timeline', expected a report of this version of tinyml_rules"
    assert_refused(older, f"{message}\n  hint: compile the model again", tmp_path, capsys)
    assert_refused([], "is not a report, expected a NAME.report.json", tmp_path, capsys)


def assert_refused(
    report: object, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the file of a report."""
    file = folder / "it.report.json"
    file.write_text(json.dumps(report))
    assert main(["report", str(file), "-o", str(folder / "page.html")]) == 2
    assert f"{file}: error: {message}" in capsys.readouterr().err
    assert not (folder / "page.html").exists()


def test_files_that_do_not_go_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name for two models, a file that is neither, and a page in the place of another file."""
    output = tmp_path / "page.html"
    refused = ["report", str(MODEL), str(MODEL), "--name", "it", "-o", str(output)]
    assert main(refused) == 2
    assert "report: error: --name is for one model, 2 files were given" in capsys.readouterr().err
    assert main(["report", "some.txt", "-o", str(output)]) == 2
    expected = "some.txt: error: expected a model, .tflite, or a report of one, .report.json"
    assert expected in capsys.readouterr().err
    output.write_text("mine")
    report = tmp_path / "it.report.json"
    report.write_text(json.dumps(hostile_report()))
    assert main(["report", str(report), "-o", str(output)]) == 2
    assert "found a file that tinyml_rules did not generate" in capsys.readouterr().err
    assert output.read_text() == "mine"
