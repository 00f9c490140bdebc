"""`fit` and weights of four bits: what is said to fit with them does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fitting.test_fit import need_of
from tests.fitting.test_ways import MODELS
from tinyml_rules.cli import main
from tinyml_rules.fitting.fit import Result
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.target.parts import room_of
from tinyml_rules.target.target import load_target


def test_int4_would_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A layer of 32,000 weights in 32 kB of flash: the same layer with int4 weights fits, and has
    as many bytes less."""
    int8, int4 = (build_model(dense((1, 160), (1, 200), bits=bits)) for bits in (8, 4))
    (tmp_path / "heavy.tflite").write_bytes(int8)
    words = ["fit", str(tmp_path / "heavy.tflite"), "--parts", "atmega328p"]
    assert main(words) == 0
    assert (
        "  atmega328p (atmega328) with int4 weights in node 0, if quantize makes them of the float "
        "model (--flash): about 16,000 bytes of constants less\n"
    ) in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["int4"]
    assert found == {"part": "atmega328p", "nodes": [0], "saved_bytes": 16_000}
    before = need_of(int8, "atmega328")
    after = need_of(int4, "atmega328")
    assert before.constant_bytes - after.constant_bytes == found["saved_bytes"]
    room = room_of(load_target("atmega328"))
    assert before.result_on(room) is Result.TOO_SMALL
    assert after.result_on(room) is Result.FITS


@pytest.mark.parametrize("name", ["tall", "large"])
def test_int4_would_not_help(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where RAM is too small, or half of the weights still too much."""
    (tmp_path / f"{name}.tflite").write_bytes(MODELS[name])
    words = [str(tmp_path / f"{name}.tflite"), "--parts", "atmega328p,atmega168", "--json"]
    assert main(["fit", *words]) == 0
    found = json.loads(capsys.readouterr().out)
    assert all(each["result"] != Result.FITS for each in found["parts"])
    assert found["int4"] == []
