"""Files of several signatures: one is quantized, the first or the one that is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.quantizer.float_models import MODELS
from tests.quantizer.runs import drawn, graph_of, quantized
from tests.quantizer.test_wrong_input import equals_tflm
from tinyml_rules.cli import main
from tinyml_rules.errors import ModelError, UsageError
from tinyml_rules.model_file.writer import build_model

DENSE, CONVOLUTION = MODELS["FULLY_CONNECTED"], MODELS["CONV_2D"]
BOTH = replace(DENSE, others=(CONVOLUTION,), signatures=(("classify", 0), ("embed", 1)))


@pytest.mark.parametrize(("signature", "alone"), [("classify", DENSE), ("embed", CONVOLUTION)])
def test_one_of_two(signature: str, alone: object) -> None:
    """The result is that of a file with this function alone, and TFLM runs it."""
    assert isinstance(alone, type(DENSE))
    model = quantized(BOTH, drawn(alone), signature=signature).model
    assert model == quantized(alone).model
    equals_tflm(model)


def test_which_is_said() -> None:
    """Without a choice a note names all; not where they are one function."""
    found = quantized(BOTH)
    assert found.model == quantized(DENSE).model
    (note,) = (each for each in found.notes if "signature" in each.what)
    assert note.what == "the file has signatures 'classify', 'embed': 'classify' is quantized alone"
    assert note.hint == "--signature NAME takes another"
    same = replace(DENSE, signatures=(("serving_default", 0), ("again", 0)))
    assert not any("signature" in each.what for each in quantized(same).notes)


def test_no_such_signature() -> None:
    """By the names that there are; a file may name a sub-graph that it has not."""
    with pytest.raises(
        UsageError, match="no signature 'embd', expected one of 'classify', 'embed'"
    ):
        quantized(BOTH, signature="embd")
    with pytest.raises(UsageError, match="no signature 'embed', expected none"):
        quantized(DENSE, signature="embed")
    broken = replace(BOTH, signatures=(("classify", 0), ("embed", 7)))
    with pytest.raises(ModelError, match="a signature names sub-graph 7 of 2"):
        quantized(broken, signature="embed")


def test_at_the_command_line(tmp_path: Path) -> None:
    """`--signature`, with samples of that function."""
    model, samples, out = (tmp_path / name for name in ("m.tflite", "cal.npy", "out.tflite"))
    model.write_bytes(build_model(BOTH))
    (values,) = drawn(CONVOLUTION).values()
    np.save(samples, values)
    options = ["--calibration", str(samples), "--out", str(out), "--signature", "embed"]
    assert main(["quantize", str(model), *options]) == 0
    assert [node.op for node in graph_of(out.read_bytes()).nodes] == ["conv_2d"]
