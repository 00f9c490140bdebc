"""The fastest kernel is found by running all of them, whichever the compiler would choose."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.combined import target_or_skip
from tinyml_rules.cli import main
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.request.options_file import read_options
from tinyml_rules.request.request import Request
from tinyml_rules.tune.tune import Figures, tune

PART = "nrf52840"


def model() -> bytes:
    """A 1x1 convolution that the part has several kernels for."""
    return build_model(conv((1, 4, 4, 32), window=(1, 1), outputs=16))


def worst_first() -> Operators:
    """With the portable kernels of CONV_2D in front of the fast ones."""
    found = dict(builtin_operators())
    op = found["conv_2d"]
    meanings = tuple(replace(each, kernels=each.kernels[::-1]) for each in op.meanings)
    found["conv_2d"] = replace(op, meanings=meanings)
    return Operators.of(found.values())


def test_fastest_is_found() -> None:
    """Of a list in the wrong order, that which the right order has first; and no more memory than
    is worth it."""
    target = target_or_skip(PART)
    usual = tune(Request(model(), "net", target))
    assert usual.kernels == {} and usual.found == usual.usual
    (layer,) = usual.layers
    assert len(layer.tried) > 2
    tuned = tune(Request(model(), "net", target, operators=worst_first()))
    assert tuned.kernels == {layer.label: layer.usual.kernel}
    assert tuned.found.count == usual.usual.count < tuned.usual.count
    assert tuned.found.is_within(tuned.usual)


def test_file_is_written_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The named kernel is in the C of the next compilation for this target, and in no other's; a
    file that names nothing useful is emptied by the next tuning."""
    target_or_skip(PART)
    monkeypatch.chdir(tmp_path)
    Path("net.tflite").write_bytes(model())
    Path("net.tinyml.toml").write_text(f'[target.{PART}]\nkernel = ["0=conv_2d_pointwise"]\n')
    words = ["compile", "net.tflite", "--quiet", "--depfile", "net.d"]
    assert main([*words, "--target", PART]) == 0
    assert "net_conv_2d_pointwise" in Path("net.c").read_text()
    assert "net.tinyml.toml" in Path("net.d").read_text()
    assert main([*words, "--target", "lm3s6965"]) == 0
    assert "net_conv_2d_pointwise" not in Path("net.c").read_text()
    capsys.readouterr()
    assert main(["tune", "net.tflite", "--target", PART, "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["kernels"] == {} and found["unit"] == "estimated cycles"
    assert Path("net.tinyml.toml").read_text() != ""
    assert main(["tune", "net.tflite", "--target", PART]) == 0
    assert "the usual kernels are the fastest" in capsys.readouterr().out
    assert read_options(Path("net.tinyml.toml"), PART) == {}


def test_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A target that counts nothing, and a goal that is not speed."""
    file = tmp_path / "net.tflite"
    file.write_bytes(model())
    assert main(["tune", str(file), "--target", "host"]) == 2
    assert "has no counter" in capsys.readouterr().err
    assert main(["tune", str(file), "--target", PART, "--optimize", "size"]) == 2
    assert capsys.readouterr().err.startswith("optimize: error: 'size' shares one kernel")


def test_memory_is_limited() -> None:
    """What takes 4 % or 2 kB more, whichever is more, is too much."""
    usual = Figures(1000, 20_000, 2_000)
    assert Figures(900, 22_048, 4_048).is_within(usual)
    assert not Figures(900, 22_049, 2_000).is_within(usual)
    assert not Figures(900, 20_000, 4_049).is_within(usual)
    assert Figures(900, 104_000, None).is_within(Figures(1000, 100_000, None))
