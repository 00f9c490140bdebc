"""`python -m tinyml_rules run`: numpy files in, numpy files out, equal to TFLM."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tflite

from tests.conftest import PROJECT
from tests.frontends.builds import SINE, run
from tests.support.hand_written import target_or_skip
from tests.support.stages import read
from tests.support.tflm import AnyArray, tflm_outputs
from tinyml_rules.cli import main
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model

TARGETS = ["host", "lm3s6965"]
NO_ACTIVATION = tflite.ActivationFunctionType.NONE


def run_model(folder: Path, model: bytes, source: str, result: str, *, target: str) -> Any:
    """Run the command on files in `folder`; returns the report that it prints."""
    target_or_skip(target)
    (folder / "net.tflite").write_bytes(model)
    words = ["--target", target, "--input", source, "--output", result, "--json"]
    command = [sys.executable, "-m", "tinyml_rules", "run", "net.tflite", *words]
    done = run(command, folder, variables={"PYTHONPATH": str(PROJECT)})
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def assert_same(found: AnyArray, expected: AnyArray) -> None:
    """Type, shape and every value."""
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("target", TARGETS)
def test_samples_of_one_input(target: str, tmp_path: Path) -> None:
    """A .npy with a leading axis of samples."""
    model = (SINE / "sine.tflite").read_bytes()
    samples = np.arange(-128, 128, 3).astype(np.int8).reshape(-1, 1, 1)
    np.save(tmp_path / "in.npy", samples)
    report = run_model(tmp_path, model, "in.npy", "out.npy", target=target)
    assert_same(np.load(tmp_path / "out.npy"), tflm_outputs(model, [samples])[0])
    macs = sum(node["macs"] for node in report["nodes"])
    assert (report["target"], report["macs"], report["model"]) == (target, macs, "net")
    assert ("instructions" in report) == (target != "host")


@pytest.mark.parametrize("target", TARGETS)
def test_one_sample_in_its_own_shape(target: str, tmp_path: Path) -> None:
    """The output then has no axis of samples either."""
    model = (SINE / "sine.tflite").read_bytes()
    sample = np.array([[-77]], np.int8)
    np.save(tmp_path / "in.npy", sample)
    run_model(tmp_path, model, "in.npy", "out.npy", target=target)
    assert_same(np.load(tmp_path / "out.npy"), tflm_outputs(model, [sample[np.newaxis]])[0][0])


def quick_and_dirty(count: int) -> AnyArray:
    """The bytes that `run` says it feeds, one by one."""
    values, x = [], 0x9E3779B9
    for _ in range(count):
        x = (x * 1664525 + 1013904223) % 2**32
        values.append(x >> 24)
    return np.array(values, np.uint8).view(np.int8)


@pytest.mark.parametrize("is_float", [False, True])
def test_without_input(is_float: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The bytes that are told go in; outputs are shown as integers and as real numbers."""
    model = float_ended_model() if is_float else sum_model()
    count = 8 if is_float else 12
    (tmp_path / "net.tflite").write_bytes(model)
    words = ["run", str(tmp_path / "net.tflite"), "--output", str(tmp_path / "out.npz")]
    assert main(words) == 0
    printed = capsys.readouterr().out
    shown = f"  input      {count} pseudo-random int8 values (fixed seed); --input FILE for yours\n"
    assert shown in printed
    fed = quick_and_dirty(count)
    if is_float:
        real = np.float32(0.05) * (fed.astype(np.float32) + 10)
        expected = tflm_outputs(model, [real.reshape(1, 1, 8)])
        integers = np.round(expected[0] / np.float32(0.15)).astype(int) + 7
        assert "  output     'real output' 1x5, scale 0.15, zero point 7\n" in printed
    else:
        expected = tflm_outputs(model, list(fed.reshape(2, 1, 1, 6)))
        integers = expected[0]
        assert "  output     'sum' 1x6, scale 0.5, zero point 0\n" in printed
        assert "  output     'coarse' 1x6, scale 1.5, zero point 5\n" in printed
        assert (
            f"    real     {' '.join(f'{value / 2:.4g}' for value in integers.flat)}\n" in printed
        )
    assert f"    integers {' '.join(map(str, integers.flat))}\n" in printed
    best = int(integers.flat[int(np.argmax(integers))])
    assert f"    top 5    [{int(np.argmax(integers))}] {best} (" in printed
    with np.load(tmp_path / "out.npz") as found:
        for name, wanted in zip(found, expected, strict=True):
            assert_same(found[name], wanted)


def test_real_numbers_for_an_int8_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are quantized with the input's scale and zero point, and that is told."""
    model = (SINE / "sine.tflite").read_bytes()
    samples = np.array([-3.0, 0.0, 0.5, 3.1, 6.28, 100.0], np.float32).reshape(-1, 1, 1)
    np.save(tmp_path / "real.npy", samples)
    (tmp_path / "net.tflite").write_bytes(model)
    paths = [str(tmp_path / name) for name in ("net.tflite", "real.npy", "out.npy")]
    assert main(["run", paths[0], "--input", paths[1], "--output", paths[2]]) == 0
    tensor = read(model, name="sine").tensors[read(model, name="sine").inputs[0]]
    quantized = np.clip(np.round(samples / tensor.scale) + tensor.zero_point, -128, 127)
    assert_same(np.load(paths[2]), tflm_outputs(model, [quantized.astype(np.int8)])[0])
    printed = " ".join(capsys.readouterr().out.split())
    assert f"quantized with scale {tensor.scale:.6g} and zero point {tensor.zero_point}" in printed
    assert "the first of 6 samples" in printed


def sum_model() -> bytes:
    """Two int8 inputs, their sum, and that sum in another scale."""
    tensors = (
        TensorSpec("left side", (1, 6), scales=(0.5,), zero_points=(3,)),
        TensorSpec("right", (1, 6), scales=(0.25,), zero_points=(-4,)),
        TensorSpec("sum", (1, 6), scales=(0.5,), zero_points=(0,)),
        TensorSpec("coarse", (1, 6), scales=(1.5,), zero_points=(5,)),
    )
    operators = (
        OperatorSpec("ADD", (0, 1), (2,), {"FusedActivationFunction": NO_ACTIVATION}, version=2),
        OperatorSpec("QUANTIZE", (2,), (3,)),
    )
    return build_model(ModelSpec(tensors, operators, inputs=(0, 1), outputs=(2, 3)))


@pytest.mark.parametrize("target", TARGETS)
def test_several_inputs_and_outputs(target: str, tmp_path: Path) -> None:
    """A .npz by tensor name, in whatever order."""
    model = sum_model()
    generator = np.random.default_rng(3)
    left, right = (generator.integers(-128, 128, (20, 1, 6)).astype(np.int8) for _ in range(2))
    arrays: dict[str, Any] = {"right": right, "left side": left}
    np.savez(tmp_path / "in.npz", **arrays)
    run_model(tmp_path, model, "in.npz", "out.npz", target=target)
    with np.load(tmp_path / "out.npz") as found:
        assert sorted(found) == ["coarse", "sum"]
        for name, expected in zip(
            ("sum", "coarse"), tflm_outputs(model, [left, right]), strict=True
        ):
            assert_same(found[name], expected)


def float_ended_model() -> bytes:
    """QUANTIZE, FULLY_CONNECTED, DEQUANTIZE: float32 outside, int8 inside."""
    generator = np.random.default_rng(4)
    weights = generator.integers(-127, 128, (5, 8)).astype(np.int8)
    bias = generator.integers(-2000, 2000, 5).astype(np.int32)
    tensors = (
        TensorSpec("real input", (1, 8), "float32"),
        TensorSpec("input", (1, 8), scales=(0.05,), zero_points=(-10,)),
        TensorSpec("weights", (5, 8), scales=(0.02,), zero_points=(0,), data=weights),
        TensorSpec("bias", (5,), "int32", scales=(0.05 * 0.02,), zero_points=(0,), data=bias),
        TensorSpec("output", (1, 5), scales=(0.15,), zero_points=(7,)),
        TensorSpec("real output", (1, 5), "float32"),
    )
    operators = (
        OperatorSpec("QUANTIZE", (0,), (1,)),
        OperatorSpec(
            "FULLY_CONNECTED",
            (1, 2, 3),
            (4,),
            {"FusedActivationFunction": NO_ACTIVATION},
            version=4,
        ),
        OperatorSpec("DEQUANTIZE", (4,), (5,), version=2),
    )
    return build_model(ModelSpec(tensors, operators, inputs=(0,), outputs=(5,)))


@pytest.mark.parametrize("target", TARGETS)
def test_float_at_both_ends(target: str, tmp_path: Path) -> None:
    """float32 in and out as TFLM has it: ties, and values far outside the range, among them."""
    model = float_ended_model()
    samples = np.random.default_rng(5).normal(0, 4, (60, 1, 8)).astype(np.float32)
    samples[0] = 1e6
    samples[1] = -1e6
    samples[2] = (np.arange(8).astype(np.float32) - 3.5) * np.float32(0.05)
    np.save(tmp_path / "in.npy", samples)
    run_model(tmp_path, model, "in.npy", "out.npy", target=target)
    expected = tflm_outputs(model, [samples])[0]
    assert expected.dtype == np.float32
    assert len(np.unique(expected)) > 50
    assert_same(np.load(tmp_path / "out.npy"), expected)
