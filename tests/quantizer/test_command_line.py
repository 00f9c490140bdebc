"""The commands: what they write and print, the same bytes everywhere, and their errors."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import PROJECT
from tests.quantizer.float_models import IMAGE, MODELS, SAME, STRIDES, chain, real, reals
from tests.quantizer.runs import drawn, graph_of, quantized
from tinyml_rules.cli import main
from tinyml_rules.ir.dtype import DType
from tinyml_rules.model_file.writer import build_model

NETWORK = chain(
    [
        (
            "CONV_2D",
            [IMAGE, reals("w", (5, 3, 3, 4)), reals("b", (5,))],
            real("features", (1, 6, 6, 5)),
            {"Padding": SAME, "FusedActivationFunction": 1, **STRIDES},
        ),
        (
            "FULLY_CONNECTED",
            [real("features", (1, 6, 6, 5)), reals("v", (3, 180))],
            real("scores", (1, 3)),
            {},
        ),
        ("SOFTMAX", [real("scores", (1, 3))], real("classes", (1, 3)), {"Beta": 1.0}),
    ]
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a float model and samples of it."""
    (tmp_path / "net.tflite").write_bytes(build_model(NETWORK))
    np.savez(tmp_path / "cal.npz", **drawn(NETWORK, count=24))  # type: ignore[arg-type]
    return tmp_path


def arguments(folder: Path, *more: str) -> list[str]:
    """Of a usual call."""
    words = ["quantize", "net.tflite", "--calibration", "cal.npz", "--out", "int8.tflite"]
    return [str(folder / word) if "." in word else word for word in words] + list(more)


def test_writes_model_report_and_depfile(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The advice is the first line; nothing of progress is printed without a terminal."""
    report, depfile = folder / "r.json", folder / "d.d"
    words = arguments(folder, "--report", str(report), "--depfile", str(depfile))
    assert main(words) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    found = json.loads(report.read_text())
    assert printed.out.splitlines()[0] == f"advice: {found['advice']}"
    assert found["advice"].startswith("node ")
    losses = [layer["own_loss"] for layer in found["tensors"]]
    assert losses == sorted(losses, reverse=True)
    assert {layer["tensor"] for layer in found["tensors"]} == {"x", "features", "scores", "classes"}
    assert min(found["sqnr_db"], found["plain_sqnr_db"]) > 20
    assert found["measured_on"] == {"data": "calibration", "samples": 24, "of": 24}
    assert "\n  on 24 of the 24 calibration samples, each by a model made without" in printed.out
    assert "are the float32 model's\ntensor by tensor, over 16 of the samples:" in printed.out
    rule = depfile.read_text().splitlines()
    assert rule[0] == f"{folder / 'int8.tflite'}: \\"
    for name in ("net.tflite", "cal.npz"):
        assert any(line.strip().startswith(str(folder / name)) for line in rule)
    assert any("quantizer/choose.py" in line for line in rule)
    assert main(["inspect", str(folder / "int8.tflite")]) == 0


def test_same_bytes_in_another_process(folder: Path, tmp_path: Path) -> None:
    """In another folder, by another interpreter with another order of sets."""
    assert main(arguments(folder, "--quiet")) == 0
    other = tmp_path / "other"
    other.mkdir()
    words = [*arguments(folder, "--quiet")[:-2], str(other / "named.tflite"), "--quiet"]
    environment = {"PYTHONPATH": str(PROJECT), "PYTHONHASHSEED": "77"}
    command = [sys.executable, "-m", "tinyml_rules", *words]
    subprocess.run(command, check=True, env=environment, cwd=other)
    assert (other / "named.tflite").read_bytes() == (folder / "int8.tflite").read_bytes()


def test_is_its_own_to_replace(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A model of ours is written over, no other file, and nothing is left of a failed run."""
    assert main(arguments(folder, "--quiet")) == 0
    assert main(arguments(folder, "--quiet")) == 0
    model = folder / "net.tflite"
    words = [*arguments(folder)[:-1], str(model)]
    assert main(words) == 2
    assert "found a file that tinyml_rules did not generate" in capsys.readouterr().err
    assert model.read_bytes() == build_model(NETWORK)
    np.savez(folder / "cal.npz", x=np.full((3, 1, 6, 6, 4), np.nan, np.float32))
    before = (folder / "int8.tflite").read_bytes()
    assert main(arguments(folder)) == 2
    assert (folder / "int8.tflite").read_bytes() == before


def test_validation_samples_judge(folder: Path) -> None:
    """The figures are theirs."""
    np.savez(folder / "val.npz", **drawn(NETWORK, count=4, seed=9))  # type: ignore[arg-type]
    report = folder / "r.json"
    words = ["--quiet", "--validate", str(folder / "val.npz"), "--report", str(report)]
    assert main(arguments(folder, *words)) == 0
    found = json.loads(report.read_text())
    assert found["sqnr_db"] > 20
    assert found["measured_on"] == {"data": "validation", "samples": 4}


def test_powers_of_two(folder: Path) -> None:
    """Every scale is m * 2^e with one m, those of weights powers of two."""
    assert main(arguments(folder, "--quiet", "--scales", "power-of-two")) == 0
    graph = graph_of((folder / "int8.tflite").read_bytes())
    for node in graph.nodes[:2]:
        source, weights, output = (
            graph.tensors[index] for index in (*node.inputs[:2], *node.outputs) if index is not None
        )
        assert weights.quantization is not None
        for scale in weights.quantization.scales:
            assert np.log2(scale * source.scale / output.scale) % 1 == 0


def test_target_with_a_float_unit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There operators may stay float32 unless it is said that they may not."""
    spec = MODELS["RESHAPE"]
    sine = chain([("SIN", [spec.tensors[0]], real("wave", (1, 12)), {})])
    (folder / "net.tflite").write_bytes(build_model(sine))
    np.savez(folder / "cal.npz", **drawn(sine))  # type: ignore[arg-type]
    assert main(arguments(folder, "--target", "atmega328")) == 1
    assert "SIN has no int8 form" in capsys.readouterr().err
    assert main(arguments(folder, "--target", "nrf52840", "--full-integer")) == 1
    assert main(arguments(folder, "--target", "nrf52840")) == 0
    assert "float32 are node 1 (sin)" in capsys.readouterr().out


def test_compare(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Finds the layer that was spoiled, in a model of other names than the float one's."""
    model = quantized(NETWORK).model
    tensor = next(each for each in graph_of(model).tensors if each.name == "v")
    assert tensor.data is not None and tensor.dtype is DType.INT8
    weights = tensor.data.tobytes()
    assert model.count(weights) == 1
    spoiled = model.replace(weights, bytes(len(weights) // 2) + weights[len(weights) // 2 :])
    (folder / "int8.tflite").write_bytes(spoiled)
    words = [str(folder / name) for name in ("net.tflite", "int8.tflite", "cal.npz")]
    assert main(["compare", *words[:2], "--inputs", words[2]]) == 0
    assert "node 1 (FULLY_CONNECTED) loses most" in capsys.readouterr().out.splitlines()[0]
    assert main(["compare", *words[:2], "--inputs", words[2], "--json"]) == 0
    layers = json.loads(capsys.readouterr().out)["tensors"]
    assert layers[0]["tensor"] == "scores"


def test_compare_with_another_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No tensor in common is an error, as is a float model in the place of the integer one."""
    (folder / "int8.tflite").write_bytes(quantized(MODELS["ADD"]).model)
    words = [str(folder / name) for name in ("net.tflite", "int8.tflite", "cal.npz")]
    assert main(["compare", *words[:2], "--inputs", words[2]]) == 2
    assert "no integer tensor of a name and shape that" in capsys.readouterr().err


def test_raw_values_of_a_sensor(folder: Path) -> None:
    """Whole numbers become what the description says that they mean."""
    spec = MODELS["FULLY_CONNECTED"]
    (folder / "net.tflite").write_bytes(build_model(spec))
    raw = np.random.default_rng(1).integers(-2048, 2048, (24, 1, 12)).astype(np.int16)
    description = folder / "s.toml"
    description.write_text('[input]\nraw = "int12"\nscale = 0.001\nchannels = 1\n')
    np.save(folder / "cal.npy", raw)
    np.savez(folder / "cal.npz", x=raw.astype(np.float32) * np.float32(0.001))
    assert main(arguments(folder, "--quiet")) == 0
    expected = (folder / "int8.tflite").read_bytes()
    words = [word.replace("cal.npz", "cal.npy") for word in arguments(folder, "--quiet")]
    assert main([*words, "--sensor", str(description)]) == 0
    assert (folder / "int8.tflite").read_bytes() == expected
