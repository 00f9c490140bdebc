"""The zoo with dead bytes overwritten: no plan reads what it gave away."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import ZooModel
from tests.support.host import host, run_on_host, samples_and_truth
from tinyml_rules.compiler import compile_model
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request

MODELS = ("sine", "speech", "person_detect", "kws", "ad")
SAMPLES = 5
CASES = [
    *((name, mode, False) for name in MODELS for mode in Mode),
    ("speech", Mode.AUTO, True),
    ("person_detect", Mode.AUTO, True),
    ("kws", Mode.AUTO, True),
]


@pytest.mark.parametrize(("name", "mode", "is_pushed"), CASES)
def test_outputs_are_those_of_tflm(
    name: str, mode: Mode, is_pushed: bool, zoo_model: ZooModel, tmp_path: Path
) -> None:
    model = zoo_model(name).read_bytes()
    request = Request(model, name, host(), schedule=mode, push_rows=is_pushed, checked=True)
    compiled = compile_model(request)
    samples, truth = samples_and_truth(model, count=SAMPLES)
    found = run_on_host(compiled.files, compiled.interface, samples, folder=tmp_path)
    assert found == truth


def test_only_checked_builds_pay(zoo_model: ZooModel) -> None:
    """Without being asked for, nothing of it is in the generated code."""
    model = zoo_model("speech").read_bytes()
    plain = compile_model(Request(model, "speech", host())).files["speech.c"]
    checked = compile_model(Request(model, "speech", host(), checked=True)).files["speech.c"]
    assert "poison" not in plain
    assert "speech_poison_rows(" in checked
