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
from tests.support.tflm import AnyArray, tflm_outputs
from tests.targets.hand_written import target_or_skip
from tinyml_rules.writer import ModelSpec, OperatorSpec, TensorSpec, build_model

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
    assert (report["target"], report["macs"], report["model"]) == (target, 288, "net")
    assert ("instructions" in report) == (target != "host")


@pytest.mark.parametrize("target", TARGETS)
def test_one_sample_in_its_own_shape(target: str, tmp_path: Path) -> None:
    """The output then has no axis of samples either."""
    model = (SINE / "sine.tflite").read_bytes()
    sample = np.array([[-77]], np.int8)
    np.save(tmp_path / "in.npy", sample)
    run_model(tmp_path, model, "in.npy", "out.npy", target=target)
    assert_same(np.load(tmp_path / "out.npy"), tflm_outputs(model, [sample[np.newaxis]])[0][0])


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
