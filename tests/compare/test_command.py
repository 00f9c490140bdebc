"""`compare` on the command line: two forms, which are told apart, and the exit status."""

from __future__ import annotations

import json

import pytest

from tests.frontends.builds import SINE
from tinyml_rules.cli import main

MODEL = str(SINE / "sine.tflite")


def test_one_model(capsys: pytest.CaptureFixture[str]) -> None:
    """A line where all is equal; everything as JSON."""
    words = ["compare", MODEL, "--target", "host", "--optimize", "layers"]
    assert main(words) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("sine on host: 3 nodes, ") and first.endswith("all equal to TFLM's")
    assert main([*words, "--json", "--reference", "numpy"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["is_equal"] and data["reference"] == "numpy" and len(data["tensors"]) == 3


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([MODEL], "one model and no target, expected --target, or a second model and --inputs"),
        ([MODEL, "--target", "host", "--inputs", "x.npy"], "--inputs is for two models"),
        ([MODEL, MODEL, "--target", "host"], "two models with options for one"),
        ([MODEL, MODEL], "no samples, expected --inputs FILE"),
        (
            [MODEL, "--target", "host", "--rounding", "litert", "--reference", "tflm"],
            "--reference tflm with --rounding litert, whose results differ",
        ),
    ],
)
def test_mistakes(words: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What belongs to the other form, or to none."""
    assert main(["compare", *words]) == 2
    assert text in capsys.readouterr().err
