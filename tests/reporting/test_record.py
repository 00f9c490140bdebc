"""Reports as JSON and back: nothing is lost, and what is wrong is told with its key."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from tests.frontends.builds import SINE
from tests.pairs.requests import model as pairs_model
from tests.support.dead_channels import convolutions
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import UsageError
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.reporting.firmware import Build, Profile, Run, Symbol
from tinyml_rules.reporting.read import report_of
from tinyml_rules.reporting.record import WrongRecordError, from_json, keys_of, to_json
from tinyml_rules.reporting.report import Report
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.target.target import load_target

SINE_BYTES = (SINE / "sine.tflite").read_bytes()
MODELS: dict[str, Callable[[], Report]] = {
    "table": lambda: _report(SINE_BYTES),
    "layers": lambda: _report(SINE_BYTES, optimize=Optimize.LAYERS, kernels=()),
    "rows": lambda: _report(pairs_model(), push_rows=True, max_flash=9999),
    "packed": lambda: _report(pairs_model(), weights=Weights.PACKED),
    "external": lambda: _report(pairs_model(), weights=Weights.EXTERNAL),
    "dead": lambda: _report(build_model(convolutions(channels=8, dead=0.5))),
}
BUILD = Build(
    flash_bytes=90,
    ram_bytes=8,
    static_ram_bytes=8,
    stack_bytes=None,
    stack_path=(),
    interrupts=(),
    invoke_stack_bytes=None,
    largest=(),
    symbols=(Symbol("m_invoke", 90, 0),),
    compiler_flags=("-Os",),
    clock_hz=None,
    target_flash_bytes=None,
    target_ram_bytes=None,
)
RUN = Run(instructions=12, invoke_stack_measured_bytes=None)
PROFILE = Profile("instructions", 12, None, 12, 0, 12, (), None, ())


def _report(model: bytes, **settings: Any) -> Report:
    return compile_model(Request(model, "m", load_target("nrf52840"), **settings)).report


@pytest.mark.parametrize("name", MODELS)
def test_there_and_back(name: str) -> None:
    """The file of a report is that report, and is written again with the same bytes."""
    report = MODELS[name]()
    full = replace(report, build=BUILD, run=RUN, profile=PROFILE, fed="zeros", equal_samples=3)
    for each in (report, replace(report, missing="apt-get install gcc"), full):
        text = json.dumps(to_json(each), indent=2)
        found = from_json(Report, {**json.loads(text), "accuracy": {}})
        assert found == each
        assert json.dumps(to_json(found), indent=2) == text


def test_figures_stand_among_those_of_the_model() -> None:
    """In the order of a build, its run, and its profile; what there is not has no key."""
    report = replace(MODELS["table"](), build=BUILD, run=RUN, profile=PROFILE)
    keys = list(to_json(report))
    assert keys[keys.index("nodes") + 1] == "flash_bytes"
    more = ["target_ram_bytes", "instructions", "invoke_stack_measured_bytes", "profile"]
    assert keys[-len(more) :] == more
    assert to_json(report)["invoke_stack_measured_bytes"] is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arena": "heap"}, "'arena' is none of static, caller, shared"),
        ({"macs": "many"}, "'macs' is not a whole number"),
        ({"macs": True}, "'macs' is not a whole number"),
        ({"warnings": "none"}, "'warnings' is no list"),
        ({"warnings": ["one", 2]}, "'warnings[1]' is not text"),
        ({"region_bytes": []}, "'region_bytes' is no object"),
        ({"peak": {"task": 0}}, "'peak.nodes' is missing"),
        ({"nodes": [3]}, "'nodes[0]' is no object"),
        ({"flash_bytes": 3}, "'ram_bytes' is missing"),
    ],
)
def test_wrong_values(change: dict[str, Any], message: str) -> None:
    """The key that is wrong, and what it is not."""
    with pytest.raises(WrongRecordError) as caught:
        from_json(Report, {**to_json(MODELS["table"]()), **change})
    assert str(caught.value) == message


@pytest.mark.parametrize("key", ["timeline", "has_variables", "nodes"])
def test_older_report(key: str) -> None:
    """One error that names the file and the key."""
    older = {name: value for name, value in to_json(MODELS["table"]()).items() if name != key}
    with pytest.raises(UsageError) as caught:
        report_of(older, "m.report.json")
    text = f"m.report.json: error: has no '{key}', expected a report of this version"
    assert str(caught.value).startswith(text)
    assert "compile the model again" in str(caught.value)


@dataclass(frozen=True)
class _Untold:
    """A field without a word on it."""

    size: int


def test_every_key_is_told() -> None:
    """A key without a meaning cannot be put on the page."""
    for kind in (Report, Build, Run):
        assert all(what for _, what in keys_of(kind))
    with pytest.raises(KeyError, match="size"):
        list(keys_of(_Untold))
