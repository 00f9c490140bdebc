"""The program of docs/explanation/arithmetic.md is TFLM's arithmetic, for every pair of values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.docs.pages import DOCS, code_blocks, read_page
from tests.docs.steps import follow, hold
from tests.support.tflm import tflm_outputs
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops._shared.cases.case import model_of, quantized


@pytest.fixture(scope="module")
def program() -> dict[str, Any]:
    """The names that the page's program defines."""
    (text,) = code_blocks(read_page("explanation/arithmetic.md"), "python")
    names: dict[str, Any] = {"__name__": "page"}
    exec(text, names)  # noqa: S102 - the page's own
    return names


def test_page(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """It prints what the page shows."""
    page = read_page("explanation/arithmetic.md")
    hold(DOCS / "explanation/arithmetic.md", page, follow(page, tmp_path), request)


@pytest.mark.parametrize("operator", ["ADD", "MUL"])
def test_every_pair(operator: str, program: dict[str, Any]) -> None:
    """65,536 of them, of which both ends are clamped."""
    values = np.arange(-128, 128, dtype=np.int8)
    inputs = [np.repeat(values, len(values))[None], np.tile(values, len(values))[None]]
    first, second, output = (
        quantized(name, (256 * 256,), scale=program[f"S_{name}"], zero_point=program[f"Z_{name}"])
        for name in "ABY"
    )
    model = model_of(operator, (first, second), output, options={"FusedActivationFunction": 0})
    (expected,) = tflm_outputs(build_model(model), inputs)
    found = map(program[operator.lower()], *(each[0].tolist() for each in inputs))
    assert expected.reshape(-1).tolist() == [*found]
    assert {-128, 127} < set(expected.reshape(-1).tolist())
