"""Cortex-M7's order of instructions: the same outputs in fewer cycles, as the core's page says."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

import tinyml_rules as tr
from tests.conftest import ZooModel
from tests.support.hand_written import target_or_skip
from tinyml_rules.cores import all_cores
from tinyml_rules.ir.features import Feature

ROW = re.compile(r"^\| kws \| ([\d.]+) \| ([\d.]+) \|$", re.MULTILINE)


def test_it_takes_fewer_cycles(zoo_model: ZooModel) -> None:
    """Than with the pieces of the core that it builds on, though more instructions."""
    target = target_or_skip("atsamv71")
    plain = replace(target, features=target.features - {Feature.DUAL_ISSUE})
    before, after = (tr.run(zoo_model("kws"), target=each) for each in (plain, target))
    np.testing.assert_array_equal(before.output, after.output)
    assert before.instructions
    assert after.instructions
    assert before.instructions < after.instructions
    page = (all_cores()["dsp_dual_issue"].folder / "README.md").read_text(encoding="utf-8")
    macs = sum(node.macs for node in before.model.report.nodes)
    found = tuple(f"{each.cycles / macs:.2f}" for each in (before, after) if each.cycles)
    assert ROW.findall(page) == [found]
