"""The sine model in the repository is what its training makes, and it predicts the sine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import tflite

PROJECT = Path(__file__).parents[2]
SINE = PROJECT / "models" / "sine"
PAPER_ERROR = 0.0154  # the sine predictor of the MicroFlow paper (2024), mean squared error


def run_script(name: str, *arguments: str) -> str:
    """What a script of the model's folder prints."""
    command = [sys.executable, "-m", f"models.sine.{name}", *arguments]
    done = subprocess.run(
        command, cwd=PROJECT, check=True, capture_output=True, text=True, timeout=120
    )
    return done.stdout


def test_training_makes_the_committed_file(tmp_path: Path) -> None:
    """Byte for byte: the seed is pinned and no sum depends on the machine."""
    made = tmp_path / "sine.tflite"
    run_script("train", "--output", str(made))
    assert made.read_bytes() == (SINE / "sine.tflite").read_bytes()


def test_error_against_noisy_sine() -> None:
    """The figure in the README, and better than the paper's."""
    text = run_script("evaluate")
    error = float(text.split()[3])
    assert error < PAPER_ERROR
    assert f"{error:.5f}" in (SINE / "README.md").read_text(encoding="utf-8")


def test_file_is_the_network_described() -> None:
    """1-16-16-1, so 288 multiplications, with symmetric weights."""
    data = (SINE / "sine.tflite").read_bytes()
    assert tflite.Model.ModelBufferHasIdentifier(data, 0)
    model = tflite.Model.GetRootAs(data)
    graph = model.Subgraphs(0)
    tensors = [graph.Tensors(index) for index in range(graph.TensorsLength())]
    weights = [tensor for tensor in tensors if tensor.Name().endswith(b"weights")]
    assert [tuple(each.ShapeAsNumpy()) for each in weights] == [(16, 1), (16, 16), (1, 16)]
    for each in weights:
        values = model.Buffers(each.Buffer()).DataAsNumpy().view(np.int8)
        assert (values.min() >= -127, each.Quantization().ZeroPoint(0)) == (True, 0)
