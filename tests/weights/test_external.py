"""External weights give TFLM's results: every case of the operators, every page size, the zoo."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import ZooModel
from tests.support.litert import litert_outputs
from tests.support.operator_cases import graph_of
from tests.weights.external import (
    compile_external,
    conv_then_dense,
    random_samples,
    run_external,
)
from tinyml_rules.ir.rounding import plain_kernel
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops._shared.cases.case import Case
from tinyml_rules.ops._shared.cases.uint8 import weighted_uint8_cases
from tinyml_rules.ops.conv_2d.cases import CASES as CONV_2D
from tinyml_rules.ops.depthwise_conv_2d.cases import CASES as DEPTHWISE
from tinyml_rules.ops.fully_connected.cases import CASES as FULLY_CONNECTED
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.plan.schedule import Mode

CONSTANT = (
    *("large_bias", "large_bias_of_four", "four_channels_large_bias", "wide_large_bias"),
    *("factor_small", "factor_vanishes", "clamped_to_one_value", "dilation_over_the_image"),
)
"""Cases whose outputs are the same for every input, so that nothing of them is left."""
CASES = {
    f"{op}-{name}": case
    for op, cases in (
        ("conv_2d", CONV_2D),
        ("depthwise_conv_2d", DEPTHWISE),
        ("fully_connected", FULLY_CONNECTED),
    )
    for name, case in cases.items()
    # those have no form for weights outside flash
    if not name.startswith(("real", "centred", "computed", "int16", "uint8"))
    if name not in CONSTANT
}
UINT8 = {
    f"{op}-{name}": case
    for op, cases, of_int8 in (
        ("conv_2d", CONV_2D, ("same", "groups")),
        ("depthwise_conv_2d", DEPTHWISE, ("same",)),
        ("fully_connected", FULLY_CONNECTED, ("per_tensor", "wide")),
    )
    for name, case in weighted_uint8_cases(cases, of_int8, zero_points=(90, 128)).items()
}
"""Of which LiteRT is the reference."""
PAGES = (1, 16, 64, 255)
ZOO = {"sine": (1, 1), "speech": (1, 1960), "kws": (1, 49, 10, 1), "ad": (1, 640)}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_every_case(case: Case, tmp_path: Path) -> None:
    (samples,) = case.samples
    known = build_model(case.stand_in or case.model)
    report = run_external(build_model(case.model), samples, tmp_path, page_bytes=16, known=known)
    assert [node["constant_bytes"] for node in report["nodes"]] == [0]
    assert plain_kernel(report["nodes"][0]["kernel"]).endswith("_paged")


@pytest.mark.parametrize("cases", [CONV_2D, DEPTHWISE, FULLY_CONNECTED])
def test_what_is_left_out_is_constant(cases: Mapping[str, Case]) -> None:
    """So that it has no weights."""
    named = [case for name, case in cases.items() if name in CONSTANT]
    assert named
    assert [graph_of(case, name="model").nodes for case in named] == [()] * len(named)


@pytest.mark.parametrize("name", UINT8)
def test_uint8(name: str, tmp_path: Path) -> None:
    """Weights that are int8 without their zero point; those that are not have no form for pages,
    and stay in flash."""
    (samples,) = UINT8[name].samples
    model = build_model(UINT8[name].model)
    report = run_external(model, samples, tmp_path, page_bytes=16, outputs_of=litert_outputs)
    (weighted,) = [node for node in report["nodes"] if node["macs"]]
    is_paged = "_paged" in weighted["kernel"]
    assert (weighted["constant_bytes"] == 0) == is_paged == name.endswith("_128")


@pytest.mark.parametrize("page_bytes", PAGES)
@pytest.mark.parametrize("name", ["conv_2d-same", "conv_2d-valid", "depthwise_conv_2d-same"])
def test_page_sizes(name: str, page_bytes: int, tmp_path: Path) -> None:
    (samples,) = CASES[name].samples
    run_external(build_model(CASES[name].model), samples, tmp_path, page_bytes=page_bytes)


@pytest.mark.parametrize("page_bytes", PAGES)
@pytest.mark.parametrize("name", ZOO)
def test_zoo(name: str, page_bytes: int, zoo_model: ZooModel, tmp_path: Path) -> None:
    samples = random_samples(2, *ZOO[name])
    report = run_external(zoo_model(name).read_bytes(), samples, tmp_path, page_bytes=page_bytes)
    assert report["page_bytes"] == page_bytes


@pytest.mark.parametrize("page_bytes", PAGES)
@pytest.mark.parametrize("is_per_axis", [False, True])
@pytest.mark.parametrize("push_rows", [False, True])
def test_rows_into_a_dense_layer(
    is_per_axis: bool, push_rows: bool, page_bytes: int, tmp_path: Path
) -> None:
    model = build_model(conv_then_dense(is_per_axis=is_per_axis))
    samples = random_samples(4, 1, 5, 4, 2)
    settings: dict[str, Any] = {"push_rows": push_rows, "page_bytes": page_bytes}
    streamed = compile_external(model, **settings)
    assert ("_paged_rows_" in streamed.files["model.c"]) == push_rows
    run_external(model, samples, tmp_path, **settings)


@pytest.mark.parametrize("name", [name for name in CASES if "conv_2d" in name])
def test_rows_in_two_pieces(name: str, tmp_path: Path) -> None:
    """A checked build makes them so; a page is asked for again by the second piece."""
    (samples,) = CASES[name].samples
    model = build_model(CASES[name].model)
    run_external(model, samples, tmp_path, page_bytes=16, checked=True)


def test_layer_by_layer(zoo_model: ZooModel, tmp_path: Path) -> None:
    model = zoo_model("speech").read_bytes()
    run_external(model, random_samples(2, 1, 1960), tmp_path, schedule=Mode.LAYER)


@pytest.mark.parametrize(
    "target",
    [
        *("atmega328", "atmega1284p", "atmega2560"),
        *("esp8266", "xtensa_lx6", "lm3s6965", "nrf52840"),
    ],
)
@pytest.mark.parametrize("is_per_axis", [False, True])
def test_small_models_on_parts(is_per_axis: bool, target: str, tmp_path: Path) -> None:
    model = build_model(conv_then_dense(is_per_axis=is_per_axis))
    samples = random_samples(3, 1, 5, 4, 2)
    run_external(model, samples, tmp_path, target=target, page_bytes=7)


@pytest.mark.parametrize(
    "name",
    [
        "conv_2d-dilations_2",
        "depthwise_conv_2d-same",
        "conv_2d-strides_2_valid",
        "conv_2d-int4_groups",
    ],
)
def test_cases_on_avr(name: str, tmp_path: Path) -> None:
    (samples,) = CASES[name].samples
    run_external(build_model(CASES[name].model), samples, tmp_path, target="atmega328")


def test_a_page_is_read_once_a_row(tmp_path: Path) -> None:
    """A convolution reads its records once a row from a page that holds one, else once a pixel."""
    case = CONV_2D["valid"]
    (samples,) = case.samples
    model = build_model(case.model)
    channels, head_bytes, weights_bytes = 3, 9, 3 * 3 * 2
    rows, width = 3, 2
    for page_bytes in (head_bytes + weights_bytes, weights_bytes // 2):
        report = run_external(
            model,
            samples,
            tmp_path / str(page_bytes),
            target="atmega328",
            page_bytes=page_bytes,
            kernels=(("0", "conv_2d_paged"),),
        )
        record = head_bytes + weights_bytes
        again = 0 if page_bytes >= record else (width - 1) * weights_bytes
        assert report["external_bytes_read"] == rows * channels * (record + again)


def test_ad_runs_on_an_atmega328(zoo_model: ZooModel, tmp_path: Path) -> None:
    """271 kB of weights on a part with 32 kB of flash and 2 kB of RAM; each byte is read once."""
    model = zoo_model("ad").read_bytes()
    report = run_external(model, random_samples(3, 1, 640), tmp_path, target="atmega328")
    assert report["external_bytes"] == report["external_bytes_read"] == 270_880
    assert report["flash_bytes"] < 2_500
    assert report["ram_bytes"] < 950
    assert report["constant_bytes"] == 0
    assert report["cycles"] < 6_000_000
    measured = report["invoke_stack_measured_bytes"]
    assert measured <= report["invoke_stack_bytes"] <= measured + 24


def test_the_weights_file_is_exact() -> None:
    """Records of bias and weights, lowest byte first; the same bytes every time."""
    weights = np.array([[1, -2, 3], [4, 5, -6]], np.int8)
    model = build_model(dense((1, 3), (1, 2), values=weights, zero_points=(0, 0), bias_size=None))
    compiled = compile_external(model)
    assert compiled.binaries == {
        "model.weights.bin": bytes([0, 0, 0, 0, 1, 254, 3, 0, 0, 0, 0, 4, 5, 250])
    }
    assert compiled.interface.weights_bytes == compiled.report.external_bytes == 14
    assert compiled.binaries == compile_external(model).binaries
