"""The tasks of VS Code run, and its matcher finds what our commands print."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import PROJECT
from tinyml_rules.cli import main
from tinyml_rules.editors.schemas import SCHEMAS, schema_line
from tinyml_rules.editors.vscode import vscode_files

MODEL = "models/sine.tflite"
NODE = shutil.which("node") or "node"
MATCH = """
const [pattern, lines] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const found = lines.map(line => new RegExp(pattern.regexp).exec(line)).map(each =>
  each && [each[pattern.file], each[pattern.severity], each[pattern.message]]);
console.log(JSON.stringify(found));
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model, its vectors, and what is written for VS Code."""
    (tmp_path / "models").mkdir()
    shutil.copy(PROJECT / "models" / "sine" / "sine.tflite", tmp_path / MODEL)
    shutil.copy(PROJECT / "examples" / "scons" / "sine_vectors.npz", tmp_path / "vectors.npz")
    for name, text in files().items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8", newline="\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files() -> dict[str, str]:
    """Those for the model."""
    program = (sys.executable, "-m", "tinyml_rules")
    return vscode_files(MODEL, "host", program=program, vectors="vectors.npz")


def without_comments(text: str) -> Any:
    """JSON as VS Code reads it."""
    return json.loads(re.sub(r"^ *//.*$", "", text, flags=re.M))


def tasks() -> dict[str, Any]:
    """By label."""
    written = without_comments(files()[".vscode/tasks.json"])
    return {each["label"]: each for each in written["tasks"]}


def test_every_task_runs(project: Path) -> None:
    """With the arguments as they are, in the project's folder."""
    found = tasks()
    assert [*found] == [f"sine: {word}" for word in ("build", "run", "test", "size", "report")]
    for each in found.values():
        command = [each["command"], *each["args"]]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert (project / "build" / "sine.c").is_file()
    assert (project / "build" / "sine.html").is_file()


def test_files_are_json() -> None:
    """All of them, and every schema is there."""
    written = {name: without_comments(text) for name, text in files().items()}
    assert {f".vscode/{kind}.schema.json" for kind in SCHEMAS} < written.keys()
    assert written[".vscode/extensions.json"]["recommendations"]


def matched(lines: list[str]) -> list[list[str] | None]:
    """File, severity and message of each line, as JavaScript finds them."""
    pattern = tasks()["sine: build"]["problemMatcher"][0]["pattern"]
    given = json.dumps([pattern, lines])
    done = subprocess.run(
        [NODE, "-e", MATCH], input=given, capture_output=True, text=True, check=True
    )
    found: list[list[str] | None] = json.loads(done.stdout)
    return found


def test_the_matcher_finds_what_commands_print(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file that is wrong, or the model's name where it is the model."""
    compiled = ["compile", MODEL, "--target", "host", "--out", "build"]
    options, sensor = project / "models" / "sine.tinyml.toml", project / "sensor.toml"
    cases = (
        ("optimise = 1\n", compiled, "models/sine.tinyml.toml"),
        ('ram = 1\n[target.host]\noptimize = "x"\n', compiled, "models/sine.tinyml.toml"),
        ("", [*compiled, "--max-flash=10"], "sine"),
        ("", [*compiled, "--sensor=sensor.toml"], "sensor.toml"),
        ("", ["compile", "none.tflite", "--target", "host"], "none.tflite"),
        ("", ["compile", "sensor.toml", "--target", "host"], "sensor"),
        ("", ["inspect", MODEL, "--target", "unoo"], "unoo"),
    )
    sensor.write_text('[input]\nraw = "int8"\nscal = 1\n', encoding="utf-8")
    for text, arguments, file in cases:
        options.write_text(text, encoding="utf-8")
        assert main(arguments) != 0
        first, *others = capsys.readouterr().err.splitlines()
        found, *rest = matched([first, *others])
        assert found == [file, "error", first.partition(": error: ")[2]], first
        assert rest == [None] * len(others), "a hint is no message of its own"


def test_the_matcher_reads_paths_of_windows_and_leaves_those_of_gcc() -> None:
    """Drive letters are no line numbers."""
    lines = [
        r"C:\work\a b\sensor.toml [input]: error: unknown key 'scal'",
        r"..\models\v1.2\sine.tinyml.toml ram: warning: x: error: y",
        "sine: node 0 (add): error: two",
        "main.c:12:5: error: expected ';'",
        r"C:\work\main.c:12:5: warning: unused",
        "building sine",
    ]
    assert matched(lines) == [
        [r"C:\work\a b\sensor.toml", "error", "unknown key 'scal'"],
        [r"..\models\v1.2\sine.tinyml.toml", "warning", "x: error: y"],
        ["sine", "error", "two"],
        *(None, None, None),
    ]


def test_a_file_names_its_schema() -> None:
    """As a path from its folder, or as the address of the installed one."""
    assert schema_line("sensor", "../.vscode") == "#:schema ./../.vscode/sensor.schema.json"
    line = schema_line("options")
    assert line.startswith("#:schema file:///")
    assert line.endswith("/schemas/options.schema.json")
