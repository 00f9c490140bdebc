"""`python -m tinyml_rules test`: every byte as expected, or the first that is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.frontends.builds import SINE
from tests.support.hand_written import target_or_skip
from tinyml_rules.cli import main

Arrays = dict[str, Any]
INPUT, OUTPUT = "sine/input", "sine/output"


@pytest.fixture
def vectors() -> Arrays:
    """TFLM's answers to all 256 inputs."""
    with np.load(SINE / "vectors.npz") as arrays:
        return dict(arrays)


def run_test(arrays: Arrays, folder: Path, *, target: str = "host") -> int:
    """The command on a file with these arrays; returns its status."""
    np.savez(folder / "v.npz", **arrays)
    words = ["--target", target, "--vectors", str(folder / "v.npz")]
    return main(["test", str(SINE / "sine.tflite"), *words])


@pytest.mark.parametrize(
    ("target", "counted"), [("host", ""), ("atmega328", ", at most 19 cycles")]
)
def test_equal(
    target: str,
    counted: str,
    vectors: Arrays,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line, with what an inference took where the target's runner counts it."""
    target_or_skip(target)
    assert run_test(vectors, tmp_path, target=target) == 0
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == (f"sine on {target}: 256 samples equal{counted}\n", "")


def test_one_sample(vectors: Arrays, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the tensors' own shapes, without an axis of samples."""
    assert run_test({name: values[0] for name, values in vectors.items()}, tmp_path) == 0
    assert capsys.readouterr().out == "sine on host: 1 samples equal\n"


def test_first_difference(
    vectors: Arrays, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 1, and where it is."""
    right = int(vectors[OUTPUT][3, 0, 0])
    vectors[OUTPUT][3:, 0, 0] ^= 1
    assert run_test(vectors, tmp_path) == 1
    error = (
        f"sine on host: error: sample 3: output {OUTPUT!r}[0, 0] is {right}, expected {right ^ 1}"
    )
    assert capsys.readouterr().err == f"{error}\n"


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({OUTPUT: None}, f"lacks {OUTPUT!r}"),
        (
            {OUTPUT: np.zeros((255, 1, 1), np.int8)},
            f"output {OUTPUT!r} has shape [255, 1, 1], expected [256, 1, 1]",
        ),
        ({INPUT: np.zeros((0, 1, 1), np.int8), OUTPUT: np.zeros((0, 1, 1), np.int8)}, "no samples"),
    ],
)
def test_vectors_that_do_not_match(
    change: Arrays,
    error: str,
    vectors: Arrays,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Status 2, and what the file should have."""
    changed = {name: values for name, values in {**vectors, **change}.items() if values is not None}
    assert run_test(changed, tmp_path) == 2
    assert capsys.readouterr().err == f"{tmp_path}/v.npz: error: {error}\n"
