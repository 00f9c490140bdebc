"""Networks with branches: rows go through joins and factors for each channel, and the outputs are
those of TFLM."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from tests.plan.branchy import NETWORKS
from tests.plan.chains import random_chain
from tests.plan.test_bars import planned
from tests.plan.test_random_chains import BRANCHES
from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.host import program_of, samples_and_truth
from tinyml_rules.ir.program import Form, Program
from tinyml_rules.plan.schedule import Mode

MODELS = 24


@dataclass(frozen=True)
class Bytes:
    """Of the arena on the host: where joins and factors take whole tensors, and at most where rows
    pass."""

    whole: int
    rows: int


FIGURES = {
    "u_net": Bytes(6144, 2112),
    "dense_block": Bytes(2304, 1248),
    "dense_block_of_single_channels": Bytes(2304, 1248),
    "inception": Bytes(2200, 1430),
    "two_branches": Bytes(1920, 1272),
    "cross_stage": Bytes(2304, 864),
    "squeeze_and_excite": Bytes(1032, 560),
    "mobile": Bytes(2768, 1904),
}


def of_whole_tensors(model: bytes) -> Program:
    """The program in which joins are copies, and factors are broadcast."""
    with (
        patch("tinyml_rules.lower.select.of_units", lambda _places, _tensors: None),
        patch("tinyml_rules.ops._shared.broadcast._repeated", lambda _operands, _shape: ()),
    ):
        return program_of(model)


@pytest.mark.parametrize("name", NETWORKS)
def test_arena(name: str) -> None:
    model, figures = NETWORKS[name](), FIGURES[name]
    assert planned(of_whole_tensors(model)).arena_bytes == figures.whole
    assert planned(program_of(model)).arena_bytes <= figures.rows


@pytest.mark.parametrize("mode", [Mode.AUTO, Mode.LAYER])
def test_rows_never_take_more(mode: Mode) -> None:
    """Also where nothing streams, a kernel of units is no worse than copies of whole tensors."""
    fewer = 0
    for number in range(MODELS):
        generator = np.random.default_rng(number)
        model = random_chain(partial(_between, generator), BRANCHES)
        rows, whole = (
            planned(each, mode=mode).arena_bytes
            for each in (program_of(model), of_whole_tensors(model))
        )
        assert rows <= whole, number
        fewer += rows < whole
    assert fewer >= MODELS // 4


def _between(generator: np.random.Generator, low: int, high: int) -> int:
    return int(generator.integers(low, high + 1))


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
