"""Contracts: annotated C is what is shipped and comments, and params keep to what they declare."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from proofs import model_record
from proofs.record import known
from proofs.slices import NAME
from proofs.table import PAGE
from proofs.units import plain_target, portable_kernels
from tests.support.operator_cases import cases_of, file_of, samples_of
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.contract import declarations, outside
from tinyml_rules.request.request import Request
from tinyml_rules.system.annotated import without_annotations
from tinyml_rules.target.target import Target, load_target

OPERATORS = ("fully_connected", "mul", "add", "relu", "prelu", "quantize", "conv_2d", "softmax")


@pytest.mark.parametrize("target", [plain_target(), load_target("host")], ids=["plain", "host"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_annotated_c_is_what_is_shipped_and_comments(operator: str, target: Target) -> None:
    contracts = 0
    for case in samples_of(operator)[:6]:
        request = Request(file_of(cases_of(operator)[case]), NAME, target)
        plain = compile_model(request).files
        annotated = compile_model(replace(request, annotated=True)).files
        contracts += annotated[f"{NAME}.c"].count("/*@ requires")
        assert {name: without_annotations(text) for name, text in annotated.items()} == plain
    assert contracts


def test_open_goals_have_reasons() -> None:
    for kernel, goals in known().items():
        assert kernel in portable_kernels()
        assert all(goals.values()), f"{kernel}: an open goal without a reason"


def test_the_page_has_the_models_that_are_recorded() -> None:
    page = PAGE.read_text()
    assert all(line in page for line in model_record.lines())
    assert {each.alarms for each in model_record.records()} == {0}


def _fully_connected() -> Any:
    from tinyml_rules.ops.fully_connected.op import Params  # noqa: PLC0415 - of this test alone

    return Params(
        weights=np.ones((3, 5), np.int8),
        bias=np.zeros(3, np.int32),
        multiplier=2**30,
        shift=-3,
        input_channels=5,
        output_channels=3,
        output_zero_point=0,
        clamp_min=-128,
        clamp_max=127,
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"weights": np.ones((3, 4), np.int8)}, ["weights has 12 elements"]),
        ({"bias": np.full(3, 2**30, np.int32)}, ["bias is not between"]),
        ({"shift": 1}, ["shift is not between"]),
        ({"multiplier": -1}, ["multiplier is not between"]),
    ],
)
def test_params_outside_their_declarations(changes: dict[str, Any], expected: list[str]) -> None:
    found = list(outside(replace(_fully_connected(), **changes)))
    assert len(found) == len(expected)
    assert all(text.startswith(begin) for text, begin in zip(found, expected, strict=True))


def test_a_declaration_is_read_from_the_type() -> None:
    told = declarations(_fully_connected())
    assert told["weights"].elements == "output_channels * input_channels"
    assert told["shift"].values is not None
    assert told["shift"].values.most == 0
