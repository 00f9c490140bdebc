"""Constants are once in flash, whoever points to them."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.host import run_on_host, samples_and_truth
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, build_model
from tinyml_rules.ops._shared.cases.case import quantized
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

SHAPE = (1, 10)


def two_softmax(*, scales: tuple[float, float]) -> bytes:
    """Two SOFTMAX side by side."""
    inputs = [quantized(f"x{place}", SHAPE, scale=scale) for place, scale in enumerate(scales)]
    outputs = [quantized(f"y{place}", SHAPE, scale=1 / 256, zero_point=-128) for place in (0, 1)]
    operators = tuple(
        OperatorSpec("SOFTMAX", (place,), (2 + place,), {"Beta": 1.0}, version=2)
        for place in (0, 1)
    )
    return build_model(ModelSpec((*inputs, *outputs), operators, (0, 1), (2, 3)))


def test_equal_tables_are_one(tmp_path: Path) -> None:
    """Two SOFTMAX of one scale share their exponentials; the figure counts them once."""
    model = two_softmax(scales=(0.1, 0.1))
    made = compile_model(Request(model, "model", load_target("host")))
    (size,) = re.findall(r"_exponentials\[(\d+)\]", made.files["model.c"])
    assert made.report.constant_bytes == 4 * int(size)
    samples, truth = samples_and_truth(model, count=4)
    assert run_on_host(made.files, made.interface, samples, folder=tmp_path) == truth


def test_different_tables_are_two() -> None:
    """Each scale has its own."""
    made = compile_model(Request(two_softmax(scales=(0.1, 0.2)), "model", load_target("host")))
    assert len(re.findall(r"_exponentials\[(\d+)\]", made.files["model.c"])) == 2
