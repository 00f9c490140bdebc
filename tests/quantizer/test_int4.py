"""Weights of four bits: what TFLM makes of them, and the budget that asks for them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tflite

from tests.conftest import PROJECT
from tests.quantizer.conftest import QuantFile
from tests.quantizer.float_models import RELU, SAME, STRIDES, chain, real, reals
from tests.quantizer.gru_models import gru_network
from tests.quantizer.quality import answers, data_of
from tests.quantizer.runs import drawn, graph_of, quantized
from tests.quantizer.test_int16 import wrong_in_c
from tests.quantizer.test_wrong_input import equals_tflm
from tests.support.combined import SANITIZED
from tinyml_rules.cli import main
from tinyml_rules.compiler import select_program
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.quantizer.request import Activations, Quantized, Scales
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import default_search, load_target

VALID = tflite.Padding.VALID
PAGE = PROJECT / "docs" / "how-to" / "quantize.md"
IMAGE, VALUES = real("x", (1, 9, 7, 3)), real("values", (1, 5, 4, 5))
NETWORK = chain(
    [
        (
            "CONV_2D",
            [IMAGE, reals("w0", (6, 3, 3, 3)), reals("b0", (6,))],
            real("first", (1, 5, 4, 6)),
            {"Padding": SAME, "StrideW": 2, "StrideH": 2, "FusedActivationFunction": RELU},
        ),
        (
            "DEPTHWISE_CONV_2D",
            [real("first", (1, 5, 4, 6)), reals("w1", (1, 3, 3, 12)), reals("b1", (12,))],
            real("second", (1, 5, 4, 12)),
            {"Padding": SAME, "DepthMultiplier": 2, "DilationHFactor": 2, **STRIDES},
        ),
        (
            "CONV_2D",
            [real("second", (1, 5, 4, 12)), reals("w2", (5, 1, 1, 12)), reals("b2", (5,))],
            VALUES,
            {"Padding": VALID, "FusedActivationFunction": RELU, **STRIDES},
        ),
        (
            "FULLY_CONNECTED",
            [VALUES, reals("w3", (7, 100)), reals("b3", (7,))],
            real("r", (1, 7)),
            {},
        ),
    ]
)
LAYERS = {"w0": (7, 6), "w2": (7, 5), "w3": (10, 1)}
"""Version of the operator and number of scales that TFLM and LiteRT ask for, by int4 weights."""


def constant_bytes(model: bytes) -> int:
    """As `compile` reports them for this computer."""
    return select_program(
        Request(model, "model", load_target("host", search=default_search()))
    ).constant_bytes


@cache
def of_budget(flash: int | None = None) -> Quantized:
    """The network in so many bytes of constants."""
    return quantized(NETWORK, drawn(NETWORK, count=24), flash=flash)


@cache
def least() -> int:
    """The least budget, as the error says it."""
    with pytest.raises(UsageError) as caught:
        of_budget(1)
    text = str(caught.value)
    found = re.fullmatch(
        r"flash: error: 1 bytes of constants, expected at least ([0-9,]+), which int4 weights in "
        r"all 3 layers that can have them give for host; with int8 it is ([0-9,]+)",
        text,
    )
    assert found, text
    numbers = [int(each.replace(",", "")) for each in found.groups()]
    assert numbers[1] == constant_bytes(of_budget().model)
    return numbers[0]


def test_all_layers_in_tflm(tmp_path: Path) -> None:
    """The least budget makes every layer int4 that can save something: TFLM takes the file, and has
    our bytes, as has the C under sanitizers; scales and versions are what it asks for."""
    model = of_budget(least()).model
    equals_tflm(model)
    graph = graph_of(model)
    for node in graph.nodes:
        weights = NodeView(graph, node).input(1)
        assert (weights.dtype is DType.INT4) == (weights.name in LAYERS)
        if weights.dtype is not DType.INT4:
            continue
        assert weights.quantization is not None
        assert (node.version, len(weights.quantization.scales)) == LAYERS[weights.name]
        assert np.abs(weights.data).max() <= 7  # type: ignore[arg-type]
    assert constant_bytes(model) == least()
    assert not wrong_in_c({"all": model}, SANITIZED, folder=tmp_path)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_budget_is_met_and_no_layer_is_int4_in_vain(share: float) -> None:
    """Without any of the layers that were chosen the budget would not be met."""
    int8 = constant_bytes(of_budget().model)
    flash = round(int8 - share * (int8 - least()))
    found = of_budget(flash)
    report = found.report["int4"]
    assert constant_bytes(found.model) == report["bytes"] <= flash < report["int8_bytes"] == int8
    chosen = [each for each in report["layers"] if each["is_int4"]]
    assert 0 < len(chosen) < 3
    assert all(report["bytes"] + each["saved_bytes"] > flash for each in chosen)
    narrow = {each.name for each in graph_of(found.model).tensors if each.dtype is DType.INT4}
    assert narrow == {each["weights"] for each in chosen}
    equals_tflm(found.model)


def test_budget_that_int8_meets() -> None:
    """The model is the same as without a budget."""
    found = of_budget(constant_bytes(of_budget().model))
    assert found.model == of_budget().model
    assert found.report["int4"]["layers"] == []
    assert "no int4 needed" not in str(of_budget().report)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"scales": Scales.POWER_OF_TWO}, "a budget with scales = power-of-two, expected scales"),
        ({"activations": Activations.INT16}, "no layer has weights that can be int4"),
    ],
)
def test_budget_that_cannot_be(options: dict[str, Any], expected: str) -> None:
    """Each is named."""
    with pytest.raises(UsageError, match=expected):
        quantized(NETWORK, drawn(NETWORK), flash=100, **options)


def test_budget_needs_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing else says what a layer loses; and a budget is a number of bytes."""
    (tmp_path / "net.tflite").write_bytes(build_model(NETWORK))
    words = ["quantize", str(tmp_path / "net.tflite"), "--out", str(tmp_path / "o.tflite")]
    assert main([*words, "--flash", "2k"]) == 2
    assert "flash: error: a budget without calibration samples, expected" in capsys.readouterr().err
    assert main([*words, "--flash", "0"]) == 2
    assert "found '0', expected" in capsys.readouterr().err
    assert not (tmp_path / "o.tflite").exists()


def test_target_takes_no_more_than_it_needs() -> None:
    """Of two layers one has to be int4 for 32 kB of flash; of a model that is too large either way
    a note says so, and it stays int8."""
    part = load_target("atmega328", search=default_search())
    fits, too_large = (_dense(inputs) for inputs in (64, 200))
    found = quantized(fits, drawn(fits), target=part)
    assert [each["is_int4"] for each in found.report["int4"]["layers"]].count(True) == 1
    found = quantized(too_large, drawn(too_large), target=part)
    assert "int4" not in found.report
    (note,) = [str(each) for each in found.notes if "int4 weights in all 2 layers" in str(each)]
    assert "it does not fit atmega328: 32,768 bytes of flash with the estimated code" in note


def _dense(inputs: int) -> ModelSpec:
    row, middle = real("x", (1, inputs)), real("middle", (1, 300))
    return chain(
        [
            ("FULLY_CONNECTED", [row, reals("w", (300, inputs))], middle, {}),
            ("FULLY_CONNECTED", [middle, reals("v", (40, 300))], real("r", (1, 40)), {}),
        ]
    )


def test_loop() -> None:
    """The rounds of a GRU share their int4 weights, and TFLM runs the loop with the same bytes."""
    samples = {"": np.random.default_rng(4).uniform(-1, 1, (12, 1, 5, 6)).astype(np.float32)}
    network = gru_network(5, 6, (8,))
    with pytest.raises(UsageError, match="which int4 weights in all 3 layers") as caught:
        quantized(network, samples, flash=1)
    (flash,) = re.findall(r"expected at least ([0-9,]+),", str(caught.value))
    found = quantized(network, samples, flash=int(flash.replace(",", "")))
    graph = graph_of(found.model)
    tensors = [each for part in (graph, *graph.others) for each in part.tensors]
    assert [each.dtype for each in tensors].count(DType.INT4) == 3
    assert any(node.op == "while" for node in graph.nodes)
    equals_tflm(found.model)


def test_same_bytes_with_another_blas(tmp_path: Path) -> None:
    """By the kernels of OpenBLAS for an old processor, in another process."""
    (tmp_path / "net.tflite").write_bytes(build_model(NETWORK))
    np.savez(tmp_path / "cal.npz", **drawn(NETWORK, count=24))  # type: ignore[arg-type]
    words = ["net.tflite", "--calibration", "cal.npz", "--flash", str(least()), "--out", "o.tflite"]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), "OPENBLAS_CORETYPE": "Prescott"}
    command = [sys.executable, "-m", "tinyml_rules", "quantize", *words, "--quiet"]
    subprocess.run(command, check=True, env=environment, cwd=tmp_path)
    assert (tmp_path / "o.tflite").read_bytes() == of_budget(least()).model


KEYWORDS = {18_886: 0.01, 17_776: 0.02}
"""Most loss of accuracy by budget: constants in which weights are 60 % of those in int8, which are
22,016 of 27,692 bytes, and the least."""


def test_keyword_spotter(
    quant_file: QuantFile,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    """Accuracy on voices that no choice has seen, on TFLM; `--write-pages` writes what is printed
    into the page."""
    data = data_of("kws", quant_file)
    with np.load(quant_file("kws_data.npz")) as arrays:
        labels = arrays["y_eval"]
    np.save(tmp_path / "samples.npy", data.calibration)
    out = tmp_path / "keywords.tflite"
    words = ["quantize", str(quant_file("kws_float.tflite")), "--target", "nrf52840"]
    words += ["--calibration", str(tmp_path / "samples.npy"), "--out", str(out)]
    wanted = _share_right(data.wanted, labels)
    printed, found = [], []
    for flash, most_loss in KEYWORDS.items():
        assert main([*words, "--flash", str(flash)]) == 0
        printed.append(capsys.readouterr().out)
        found.append(_share_right(answers(out.read_bytes(), data), labels))
        assert found[-1] >= wanted - most_loss
    lines = re.search(r"^int4 weights in .*\n(?=tensor by tensor)", printed[0], re.M | re.S)
    assert lines
    said = (
        f"{found[0]:.1%} are right, with int4 in all layers {found[1]:.1%}, in float {wanted:.1%}."
    )
    blocks = {"int4": f"\n```text\n{lines[0]}```\n", "int4 accuracy": f"{said}"}
    text = PAGE.read_text(encoding="utf-8")
    if request.config.getoption("--write-pages"):
        for name, block in blocks.items():
            ends = f"<!-- {name} -->", f"<!-- /{name} -->"
            before, _, rest = text.partition(ends[0])
            text = before + ends[0] + block + ends[1] + rest.partition(ends[1])[2]
        PAGE.write_text(text, encoding="utf-8")
    assert all(f"<!-- {name} -->{block}<!-- /" in text for name, block in blocks.items())


def _share_right(answers_of: Any, labels: Any) -> float:
    rows = answers_of.reshape(len(labels), -1)
    return float((rows.argmax(axis=1) == labels).mean())
