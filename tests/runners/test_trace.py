"""The trace of a profile: complete events of the Trace Event format that add up to the profile."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ZooModel
from tests.frontends.builds import SINE
from tests.runners.test_profile import TARGETS
from tests.support.hand_written import CACHE, target_or_skip
from tinyml_rules.cli import main
from tinyml_rules.compiler import compile_model
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.reporting.record import to_json
from tinyml_rules.request.request import Request
from tinyml_rules.runners import trace
from tinyml_rules.runners.arrays import unpack_samples
from tinyml_rules.runners.model import run_on_arrays
from tinyml_rules.runners.pattern import pattern_inputs
from tinyml_rules.runners.profile import profile_on_arrays


def traced(request: Request, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """A profile, and the trace of the same run."""
    plain, marked = (compile_model(replace(request, marked=each)) for each in (False, True))
    inputs = pattern_inputs(plain.interface, samples=2)
    outcome = run_on_arrays(plain, request.target, inputs, where="test")
    profile = profile_on_arrays(
        marked,
        request.target,
        inputs,
        where="test",
        expected=unpack_samples(plain.interface, outcome.output),
        run=outcome.report.run,
        cache=CACHE,
        trace=folder / "run.trace.json",
    )
    return to_json(profile), json.loads((folder / "run.trace.json").read_text(encoding="utf-8"))


def check(profile: dict[str, Any], found: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of nodes; every node has its own count, and they follow each other."""
    events = found["traceEvents"]
    for each in events:
        assert {"ph", "name", "pid", "tid"} <= each.keys()
        assert each["ph"] == "M" or (each["ts"] >= 0 and each["dur"] > 0 and each["cat"])
    unit = profile["unit"]
    complete = [each for each in events if each["ph"] == "X"]
    of_calls = [each for each in complete if each["tid"] == 0]
    assert sum(each["args"][unit] for each in of_calls) == profile["total"]
    of_nodes = [each for each in complete if each["tid"] != 0]
    counts: Counter[str] = Counter()
    for each in of_nodes:
        counts[each["name"].split()[0]] += each["args"][unit]
    expected = {node["label"]: node["count"] for node in profile["nodes"] if node["count"]}
    assert counts == expected
    ends = [0.0, *(each["ts"] + each["dur"] for each in of_nodes)]
    starts = [each["ts"] for each in of_nodes]
    assert all(start >= end - 1e-5 for start, end in zip(starts, ends, strict=False))
    return of_nodes


@pytest.mark.parametrize("part", TARGETS)
def test_sine(part: str, tmp_path: Path) -> None:
    """On every kind of counter: one stay in each layer."""
    data = (SINE / "sine.tflite").read_bytes()
    target = target_or_skip(part)
    request = Request(data, "sine", target, optimize=Optimize.LAYERS)
    profile, found = traced(request, tmp_path)
    assert [each["name"] for each in check(profile, found)] == [
        f"{number} FULLY_CONNECTED" for number in range(3)
    ]
    assert target.clock_hz is not None
    (whole,) = (each for each in found["traceEvents"] if each["name"] == "inference")
    assert whole["dur"] == pytest.approx(profile["total"] / target.clock_hz * 1e6, abs=1e-5)
    assert found["otherData"]["left_out"] == 0


@pytest.mark.parametrize("push_rows", [False, True], ids=["stream", "pushed"])
def test_rows_take_turns(push_rows: bool, zoo_model: ZooModel, tmp_path: Path) -> None:
    """Layers that run row by row are entered once a row; pushed rows are calls of their own."""
    data = zoo_model("speech").read_bytes()
    request = Request(data, "speech", target_or_skip("lm3s6965"), push_rows=push_rows)
    profile, found = traced(request, tmp_path)
    of_nodes = check(profile, found)
    stays = Counter(each["name"] for each in of_nodes)
    assert max(stays.values()) > 20
    calls = [each for each in found["traceEvents"] if each["ph"] == "X" and each["tid"] == 0]
    assert len(calls) == (49 if push_rows else 1)


def test_later_stays_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "MOST_STAYS", 2)
    data = (SINE / "sine.tflite").read_bytes()
    target = target_or_skip("atmega328")
    profile, found = traced(Request(data, "sine", target, optimize=Optimize.LAYERS), tmp_path)
    assert found["otherData"]["left_out"] == profile["trace_left_out"] == 1


def test_trace_wants_a_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", str(SINE / "sine.tflite"), "--trace", str(tmp_path / "a.json")]
    assert main(words) == 2
    assert capsys.readouterr().err == "run: error: --trace needs --profile\n"
    assert list(tmp_path.iterdir()) == []
