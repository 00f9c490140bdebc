"""Packed weights give TFLM's results on every kind of part, and take less flash."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ZooModel
from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.operator_cases import (
    cases_of,
    file_of,
    graph_of,
    is_right,
    result_bytes,
    sample_bytes,
)
from tests.support.tflm import tflm_outputs
from tests.weights.external import conv_then_dense, random_samples
from tinyml_rules.cli import main
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.rounding import plain_kernel
from tinyml_rules.lower.far_weights import move_weights_far
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.fully_connected.packed_cases import rows_of_widths
from tinyml_rules.plan import programs
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.reporting.record import to_json
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.runners.model import run_model
from tinyml_rules.target.target import Target, load_target

CASES = {
    name: case for name, case in cases_of("fully_connected").items() if name.startswith("packed")
}
PARTS = (SANITIZED, "nrf51", "lm3s6965", "nrf52840", "riscv32imc", "esp8266", "mps3_an547")
AVR_PARTS = ("atmega328", "atmega1284p", "atmega2560")
IMAGE = (1, 5, 4, 2)
"""Of the convolution in front of a dense layer."""


def compile_packed(model: bytes, target: Target, **settings: Any) -> Compiled:
    """Compile with packed weights; `settings` are more of the request's fields."""
    return compile_model(Request(model, "model", target, weights=Weights.PACKED, **settings))


def kernels_of(compiled: Compiled) -> list[str]:
    """Of the nodes, in order, however they requantize."""
    return [plain_kernel(node.kernel) for node in compiled.report.nodes]


def with_32_registers(target: Target) -> Target:
    """The host, with the C of processors that have so many."""
    return replace(target, features=target.features | {Feature.REGISTERS_32})


def wrong_cases(target: Target, folder: Path, form: str) -> list[str]:
    """Which cases give other bytes than TFLM, all of them packed in this form."""
    for case in CASES.values():
        (kernel,) = kernels_of(compile_packed(file_of(case), target))
        assert kernel.endswith(form)
    graphs = {name: graph_of(case, name=name) for name, case in CASES.items()}
    jobs = [
        Job(name, file_of(case), sample_bytes(case, graphs[name]), weights=Weights.PACKED)
        for name, case in CASES.items()
    ]
    outputs = run_combined(target, jobs, folder=folder)
    assert len(outputs) == len(CASES)
    return [
        name
        for name, case in CASES.items()
        if not is_right(case, result_bytes(case, graphs[name], outputs[name]))
    ]


@pytest.mark.parametrize("name", PARTS)
def test_blocks(name: str, tmp_path: Path) -> None:
    target = target_or_skip(name)
    if name == SANITIZED:
        target = with_32_registers(target)
    assert not wrong_cases(target, tmp_path, "_blocks")


@pytest.mark.parametrize("name", (SANITIZED, *AVR_PARTS))
def test_rice_codes(name: str, tmp_path: Path) -> None:
    assert not wrong_cases(target_or_skip(name), tmp_path, "_rice")


def test_rice_codes_above_64_kb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "move_weights_far", partial(move_weights_far, near_bytes=0))
    assert not wrong_cases(target_or_skip("atmega2560"), tmp_path, "_rice_far")


@pytest.mark.parametrize("push_rows", [False, True])
@pytest.mark.parametrize("near_bytes", [60_000, 0])
@pytest.mark.parametrize("name", ["host", "atmega328", "atmega2560"])
def test_rice_codes_in_pieces(
    name: str, near_bytes: int, push_rows: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pieces of 12 weights: eight, and four more."""
    rule = partial(move_weights_far, near_bytes=near_bytes)
    monkeypatch.setattr(programs, "move_weights_far", rule)
    target = target_or_skip(name)
    values = rows_of_widths(40, 60, (3, 4, 0, 5))
    model = build_model(conv_then_dense(is_per_axis=True, values=values))
    samples = random_samples(3, *IMAGE)
    (expected,) = tflm_outputs(model, [samples])
    how = {"schedule": Mode.STREAM, "push_rows": push_rows}
    compiled = compile_packed(model, target, **how)
    assert "_rice_rows" in compiled.files["model.c"]
    outcome = run_model(compiled, target, samples.tobytes(), folder=tmp_path)
    assert outcome.output == expected.tobytes()


@pytest.mark.parametrize("mode", Mode)
def test_blocks_behind_a_stream_are_read_whole(mode: Mode, tmp_path: Path) -> None:
    """They have no form for pieces: the layer before ends the stream."""
    target = with_32_registers(load_target("host"))
    model = build_model(conv_then_dense(is_per_axis=False, values=rows_of_widths(40, 60)))
    samples = random_samples(3, *IMAGE)
    (expected,) = tflm_outputs(model, [samples])
    compiled = compile_packed(model, target, schedule=mode)
    assert kernels_of(compiled)[-1] == "fully_connected_blocks"
    outcome = run_model(compiled, target, samples.tobytes(), folder=tmp_path)
    assert outcome.output == expected.tobytes()


@pytest.mark.parametrize("name", ["host", "nrf51", "atmega2560"])
def test_what_does_not_pay_is_as_before(name: str) -> None:
    """Random weights do not, nor do a few, nor weights of four bits."""
    target = load_target(name)
    for case in ("wide", "per_axis", "int4_wide", "int4_per_axis"):
        model = file_of(cases_of("fully_connected")[case])
        found = compile_packed(model, target)
        plain = compile_model(Request(model, "model", target))
        assert found.files["model.c"] == plain.files["model.c"]
        assert found.report.packed == ()
        expected = "model: note: no weights are packed: that would save hardly any flash"
        assert found.warnings == (expected,)
    assert plain.warnings == ()


@pytest.mark.parametrize("name", ["host", "nrf51", "atmega2560"])
def test_no_kernel_reads_packed_weights(name: str) -> None:
    """Convolutions alone: one line says so, and the C is as before."""
    target, model = load_target(name), file_of(cases_of("conv_2d")["many_channels"])
    found = compile_packed(model, target)
    plain = compile_model(Request(model, "model", target))
    assert found.files["model.c"] == plain.files["model.c"]
    expected = "model: note: no weights are packed: that would save hardly any flash"
    assert found.warnings == (expected,)
    assert not any("packed" in line for line in plain.report.advice)


def test_packed_and_external_exclude_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The one would be lost; the same twice is once, and rows may be pushed with either."""
    file = tmp_path / "model.tflite"
    file.write_bytes(build_model(conv_then_dense(is_per_axis=True)))
    words = ["compile", str(file), f"--out={tmp_path}", "--target=nrf51", "--quiet", "--push-rows"]
    assert main([*words, "--weights=packed", "--weights=packed"]) == 0
    capsys.readouterr()
    assert main([*words, "--weights=packed", "--weights=external"]) == 2
    what = "--weights=packed and --weights=external exclude each other, expected one of them"
    assert capsys.readouterr().err == f"weights: error: {what}\n"


def test_report_names_packed_tensors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the command line, which says nothing else of it."""
    file = tmp_path / "dense.tflite"
    model = file_of(CASES["packed_few_inputs"])
    file.write_bytes(model)
    words = ["compile", str(file), f"--out={tmp_path}", "--target=nrf51", "--quiet"]
    assert main([*words, "--weights=packed"]) == 0
    assert capsys.readouterr() == ("", "")
    plain = compile_model(Request(model, "model", load_target("nrf51"))).report
    found = compile_packed(model, load_target("nrf51")).report
    (packed,) = found.packed
    assert packed.name == "weights"
    assert packed.plain_bytes == 85 * 35
    saved = packed.plain_bytes - packed.packed_bytes
    assert saved == plain.constant_bytes - found.constant_bytes > 512


@pytest.mark.parametrize("name", ["nrf51", "atmega2560"])
def test_advice(name: str) -> None:
    """What a compilation with plain weights says of packed ones is what they then save."""
    target, model = load_target(name), file_of(CASES["packed_few_inputs"])
    plain, packed = compile_model(Request(model, "model", target)), compile_packed(model, target)
    saved = plain.report.constant_bytes - packed.report.constant_bytes
    *_, found = plain.report.advice
    assert found == (
        "pack the weights of a layer with 100 % of the multiply-accumulates (such layers take up "
        f"to five times as long): --weights=packed saves {saved:,} bytes of flash"
    )
    host = compile_model(Request(model, "model", load_target("host")))
    external = compile_model(Request(model, "model", target, weights=Weights.EXTERNAL))
    small = compile_model(Request(file_of(cases_of("fully_connected")["wide"]), "model", target))
    for other in (packed, host, external, small):
        assert not any("--weights=packed" in line for line in other.report.advice)


BARS = {
    ("ad", "lm3s6965"): (214_000, 1_550_000),
    ("ad", "nrf51"): (216_000, 2_750_000),
    ("ad", "atmega2560"): (190_000, 12_000_000),
    ("speech", "atmega328"): (21_000, 6_535_000),
}
"""Bytes of flash, and instructions or cycles of an inference, at the most."""


@pytest.mark.parametrize(("model", "name"), BARS)
def test_zoo(model: str, name: str, zoo_model: ZooModel, tmp_path: Path) -> None:
    target, file = target_or_skip(name), zoo_model(model).read_bytes()
    compiled = compile_packed(file, target, push_rows=model == "speech")
    samples = random_samples(2, *compiled.interface.inputs[0].shape)
    (expected,) = tflm_outputs(file, [samples])
    outcome = run_model(compiled, target, samples.tobytes(), folder=tmp_path)
    assert outcome.output == expected.tobytes()
    flash_bytes, most = BARS[model, name]
    figures = to_json(outcome.report)
    assert figures["flash_bytes"] <= flash_bytes
    unit = "cycles" if target.architecture == "avr" else "instructions"
    assert figures[unit] <= most


def test_a_model_that_does_not_fit_is_told_of_it(
    zoo_model: ZooModel, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compile", str(zoo_model("ad")), "--target=lm3s6965", "--out=nowhere"]
    assert main(words) == 1
    way = "204,864 bytes of flash, such layers take up to five times as long"
    assert f"    --weights=packed: {way}\n" in capsys.readouterr().err
