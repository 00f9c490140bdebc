"""Networks with branches: rows go through joins and factors for each channel, and the outputs are
those of TFLM."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plan.branchy import NETWORKS
from tests.plan.test_bars import planned
from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.host import program_of, samples_and_truth
from tinyml_rules.ir.program import Form

MOST_BYTES = {
    "u_net": (8192, 4224),
    "dense_block": (4608, 1824),
    "inception": (2800, 1340),
    "cross_stage": (2304, 864),
    "squeeze_and_excite": (1032, 576),
    "mobile": (3608, 2432),
}
"""Of the arena on the host: where joins and factors take whole tensors, and where rows pass."""


@pytest.mark.parametrize("name", NETWORKS)
def test_arena(name: str) -> None:
    before, most = MOST_BYTES[name]
    plan = planned(program_of(NETWORKS[name]()))
    assert plan.arena_bytes <= most < before


@pytest.mark.parametrize("name", NETWORKS)
def test_no_step_takes_whole_tensors(name: str) -> None:
    """But those that mean a channel."""
    program = program_of(NETWORKS[name]())
    whole = [step.node.op for step in program.steps if step.kernel.form is Form.WHOLE]
    assert set(whole) <= {"mean"}


def test_outputs(tmp_path: Path) -> None:
    jobs, truth = [], {}
    for name, network in NETWORKS.items():
        samples, truth[name] = samples_and_truth(network(), count=3)
        jobs.append(Job(name, network(), samples))
    for target in (SANITIZED, "nrf52840", "nrf51", "atmega1284p"):
        folder = tmp_path / target
        folder.mkdir()
        assert run_combined(target_or_skip(target), jobs, folder=folder) == truth
