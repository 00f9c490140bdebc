"""What dead channels cost on real parts, with them and without: flash, and work of an inference."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import PROJECT, ZooModel
from tests.support.combined import target_or_skip
from tests.support.dead_channels import convolutions
from tests.support.stages import passed
from tinyml_rules import passes
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.graph import Graph
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.remove_channels import remove_channels
from tinyml_rules.ranges.ranges import ranges
from tinyml_rules.reporting.record import to_json
from tinyml_rules.reporting.tables import model_summary
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import Outcome, run_model
from tinyml_rules.target.target import Target

SINE = PROJECT / "models" / "sine"


def outcome(model: bytes, target: Target, samples: bytes, folder: Path) -> Outcome:
    """What the model's layers give and take."""
    folder.mkdir()
    request = Request(model, "m", target, optimize=Optimize.LAYERS)
    return run_model(compile_model(request), target, samples, folder=folder)


def test_sine(tmp_path: Path) -> None:
    """The sine's dead channels are a quarter of its products."""
    target = target_or_skip("atmega328")
    samples = np.arange(-128, 128, dtype=np.int8).tobytes()
    found = outcome((SINE / "sine.tflite").read_bytes(), target, samples, tmp_path / "sine")
    with np.load(SINE / "vectors.npz") as vectors:
        assert found.output == vectors["sine/output"].tobytes()
    figures = to_json(found.report)
    assert figures["cycles"] <= 6_000
    assert figures["flash_bytes"] <= 1_700
    assert "left out: 1 of 16 at node 0, 4 of 16 at node 1" in model_summary(found.report)


def test_network_with_many_dead_channels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With three of five channels dead, less than a third of flash and of the work is left."""

    def untouched(graph: Graph, operators: Operators, *, group: int = 1) -> Graph:
        assert operators and group == 4
        return graph

    target = target_or_skip("nrf52840")
    model = build_model(convolutions(channels=64, dead=0.62, size=8))
    samples = np.random.default_rng(1).integers(-128, 128, (3, 64)).astype(np.int8).tobytes()
    found = {}
    for name, each in (("all", untouched), ("left", remove_channels)):
        monkeypatch.setattr(passes, "remove_channels", each)
        found[name] = outcome(model, target, samples, tmp_path / name)
    assert found["all"].output == found["left"].output
    before, after = (to_json(found[name].report) for name in ("all", "left"))
    assert after["flash_bytes"] <= 0.3 * before["flash_bytes"]
    assert after["instructions"] <= 0.32 * before["instructions"]


def test_sums_of_a_report() -> None:
    """The certificate of every node with weights: bits that hold its sums."""
    model, target = (SINE / "sine.tflite").read_bytes(), target_or_skip("host")
    report = compile_model(Request(model, "sine", target, optimize=Optimize.LAYERS)).report
    sums = [node.sums for node in report.nodes if node.sums]
    assert [each.bits for each in sums] == [16, 17, 18]
    assert all(-(2 ** (s.bits - 1)) <= s.least < s.most < 2 ** (s.bits - 1) for s in sums)


def test_analysis_is_quick(zoo_model: ZooModel) -> None:
    """Of the zoo's model with most products."""
    graph = passed(zoo_model("person_detect").read_bytes())
    begin = time.process_time()
    ranges(graph, builtin_operators())
    assert time.process_time() - begin < 1.0
