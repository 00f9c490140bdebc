"""The functions give what the commands write and print, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tinyml_rules as tr
from tests.conftest import PROJECT
from tests.frontends.builds import SINE
from tests.support.hand_written import target_or_skip
from tinyml_rules.cli import main
from tinyml_rules.reporting.record import to_json

DIGITS = PROJECT / "examples" / "digits"
MODEL = SINE / "sine.tflite"
PART = "atmega328"


@pytest.fixture(scope="module")
def digits() -> tr.QuantizedModel:
    """A model with layers."""
    samples, sensor = DIGITS / "calibration.npz", DIGITS / "sensor.toml"
    return tr.quantize(DIGITS / "digits.tflite", samples, sensor=sensor)


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """The JSON that a command prints."""
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_quantize(digits: tr.QuantizedModel, tmp_path: Path) -> None:
    """The file, the report, and the text."""
    out, report = tmp_path / "int8.tflite", tmp_path / "report.json"
    words = ["--calibration", str(DIGITS / "calibration.npz"), "--report", str(report)]
    words += ["--sensor", str(DIGITS / "sensor.toml"), "--quiet", "--out", str(out)]
    assert main(["quantize", str(DIGITS / "digits.tflite"), *words]) == 0
    assert digits.bytes == out.read_bytes()
    assert digits.report == json.loads(report.read_text())
    digits.write(tmp_path / "api.tflite", tmp_path / "api.json")
    assert (tmp_path / "api.tflite").read_bytes() == digits.bytes
    assert (tmp_path / "api.json").read_bytes() == report.read_bytes()
    assert str(digits).startswith("advice: ")
    assert digits.tensors[0].tensor == digits.report["tensors"][0]["tensor"]


def test_compile(digits: tr.QuantizedModel, tmp_path: Path) -> None:
    """Every file, with options of each kind, and the file of options next to a model."""
    model = tmp_path / "digits.tflite"
    digits.write(model)
    model.with_suffix(".tinyml.toml").write_text('arena = "caller"\n')
    words = ["--optimize=size", "--slices", "--ram=10k", "--place=0=ram", "--weights=external"]
    assert main(["compile", str(model), *words[:3], "--out", str(tmp_path / "a"), words[4]]) == 0
    found = tr.compile(model, optimize="size", slices=True, ram="10k", weights="external")
    paths = found.write(tmp_path / "b")
    written = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    assert {path.name: path.read_bytes() for path in paths} == written
    assert {name: text.encode() for name, text in found.files.items()} | found.binaries == written
    assert found.report.arena == "caller"
    assert found.memory_picture == found.files["digits.memory.svg"]
    assert [each.node for each in found.layers] == [each.node for each in found.report.nodes]
    assert tr.compile(model, options_file="").report.arena == "static"
    assert tr.compile(digits.bytes, name="digits", options_file="").name == "digits"


def test_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Outputs and all figures, from the same samples in a file and in an array."""
    target_or_skip(PART)
    samples = np.linspace(0, 6, 3, dtype=np.float32).reshape(3, 1)
    np.save(tmp_path / "in.npy", samples.reshape(3, 1, 1))
    words = ["run", str(MODEL), "--target", PART, "--input", str(tmp_path / "in.npy")]
    expected = printed(capsys, *words, "--profile", "--output", str(tmp_path / "out.npy"))
    found = tr.run(MODEL, samples, PART, profile=True)
    assert np.array_equal(found.output, np.load(tmp_path / "out.npy"))
    assert expected.pop("fed").startswith(f"{tmp_path}/in.npy: ")
    assert expected == json.loads(json.dumps(to_json(found.report)))
    assert found.cycles == expected["cycles"]
    (real,) = found.real_outputs.values()
    assert np.abs(real.ravel() - np.sin(samples.ravel())).max() < 0.1
    assert found.profile is not None
    again = tr.run(tr.compile(MODEL, PART), tmp_path / "in.npy")
    assert np.array_equal(again.output, found.output)
    assert again.run == found.run


def test_others(digits: tr.QuantizedModel, tmp_path: Path, capsys: Any) -> None:
    """`inspect`, `fit`, `size`, and a page of a report that exists."""
    model = str(digits.write(tmp_path / "digits.tflite"))
    found = json.loads(json.dumps(tr.inspect(model, PART).to_json()))
    assert found == printed(capsys, "inspect", model, "--target", PART)
    parts = tr.fit(model, ["atmega8", "atmega16"], other_ram="100")
    words = ("fit", model, "--parts", "atmega8,atmega16", "--other-ram", "100")
    assert json.loads(json.dumps(parts.to_json())) == printed(capsys, *words)
    assert parts.smallest is not None
    assert tr.size(model, "host").to_json() == printed(capsys, "size", model, "--target", "host")
    compiled = tr.compile(model, PART)
    compiled.write(tmp_path)
    report, page = tmp_path / "digits.report.json", tmp_path / "page.html"
    assert main(["report", str(report), "-o", str(page)]) == 0
    assert tr.report(compiled).html == page.read_text() == tr.report(report).html
    assert tr.report(compiled).write(tmp_path / "b.html").read_text() == page.read_text()


def test_steps_need_no_files(digits: tr.QuantizedModel) -> None:
    """A float model, integers, C, outputs: what the C decides is what the labels say."""
    samples = np.load(DIGITS / "evaluation.npz")
    compiled = tr.compile(digits, sensor=DIGITS / "sensor.toml")
    values = samples["digits/input"][:50].astype(np.float32)
    found = tr.run(compiled, {"digits/input": values})
    assert found.output.shape == (50, 1, 10)
    decided = [int(words.removeprefix("decides ")) for (words,) in found.decisions]
    assert decided == found.output.reshape(50, 10).argmax(axis=1).tolist()
    assert np.mean(np.array(decided) == samples["labels"][:50]) > 0.9
