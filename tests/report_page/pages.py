"""Pages that the tests look at, made once, and the browser that they are opened in."""

from __future__ import annotations

import copy
import json
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from tests.frontends.builds import SINE
from tinyml_rules.cli import main
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.report_page.page import page
from tinyml_rules.reporting.record import from_json, to_json
from tinyml_rules.reporting.report import Report
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

HOSTILE = (
    '</title></svg></style><script>document.title="bad"</script><img src=x onerror="alert(1)">',
    "\"'><b onclick=alert(1)>&amp;\u202egnp.exe\u2066\x00",
    "",
    "long/" * 900,
)
"""Names of tensors: markup, quotes and signs that turn the direction of text, none, and a long
one."""


@dataclass(frozen=True)
class Made:
    """A page and the reports that it is made of."""

    file: Path
    reports: tuple[dict[str, Any], ...]

    @property
    def report(self) -> dict[str, Any]:
        (report,) = self.reports
        return report


def hostile_report() -> dict[str, Any]:
    """Of a model with such names, which branches and joins; nothing is built."""
    tensors = tuple(
        TensorSpec(name, (1, 4, 4, 2), scales=(0.5,), zero_points=(0,)) for name in HOSTILE
    )
    operators = (
        OperatorSpec("LOGISTIC", (0,), (1,)),
        OperatorSpec("ADD", (0, 1), (2,)),
        OperatorSpec("ADD", (2, 1), (3,)),
    )
    tensors = (
        tensors[0],
        TensorSpec(HOSTILE[1], (1, 4, 4, 2), scales=(1 / 256,), zero_points=(-128,)),
        *tensors[2:],
    )
    model = build_model(ModelSpec(tensors, operators, (0,), (3,)))
    return to_json(compile_model(Request(model, "hostile", load_target("host"))).report)


def written(file: Path, *reports: dict[str, Any]) -> Made:
    """The page of some reports."""
    file.write_text(page([from_json(Report, each) for each in reports]), encoding="utf-8")
    return Made(file, reports)


def sine_page(folder: Path) -> Made:
    """The page that the command line makes: built for an ATmega328, run, profiled, and compared
    with four of TFLM's outputs."""
    with np.load(SINE / "vectors.npz", allow_pickle=False) as recorded:
        np.savez(folder / "vectors.npz", **{key: recorded[key][:4] for key in recorded})
    file = folder / "sine.html"
    words = ["report", str(SINE / "sine.tflite"), "--target", "atmega328", "--optimize", "layers"]
    words += ["--vectors", str(folder / "vectors.npz"), "-o", str(file), "--json"]
    printed = StringIO()
    with redirect_stdout(printed):
        assert main(words) == 0
    return Made(file, tuple(json.loads(printed.getvalue())))


def wide(report: dict[str, Any]) -> dict[str, Any]:
    """A report with names and figures as wide as those of real models."""
    found = copy.deepcopy(report)
    kernel = {"op": "depthwise_conv_2d", "kernel": "depthwise_conv_2d_along_row_by_1_upwards"}
    for node in found["nodes"]:
        node.update(kernel, macs=87_654_321, output_shapes=[[1, 96, 96, 128]])
    for node in found["profile"]["nodes"]:
        node.update(kernel, macs=87_654_321, per_mac=12.34, per_value=1234.56)
        node.update(count=98_765_432, times_floor=12.34, floor=65_432_100)
    for tensor in found["timeline"]["tensors"]:
        tensor["name"] = "MobilenetV1/MobilenetV1/Conv2d_13_depthwise/FusedBatchNorm;" * 4
    for function in found["flash"]["functions"]:
        function["symbol"] = "person_detect_depthwise_conv_2d_along_row_by_1_upwards_row_of_a_piece"
    return found
