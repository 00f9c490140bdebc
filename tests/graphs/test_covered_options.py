"""Random graphs with options of which every two occur: the C gives TFLM's bytes, on the host under
sanitizers and on parts.

Some in every run; `./tinyml conformance variants=1000` has as many as it is told, with a seed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.graphs.covered import GRAPH_FACTORS, PER_PROGRAM, ROWS, covered, run_all
from tests.pairs.covering import pairs_in, pairs_of
from tests.pairs.requests import FACTORS, is_allowed
from tests.support.combined import target_or_skip


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """As many tests as there are programs of variants."""
    if "first" in metafunc.fixturenames:
        count = metafunc.config.getoption("--variants")
        metafunc.parametrize("first", range(0, count, PER_PROGRAM))


def test_rows() -> None:
    """Every two values that go together are in one, but for sensors'."""
    assert FACTORS.keys() == GRAPH_FACTORS.keys()
    met = set().union(*map(pairs_in, ROWS))
    assert met == {pair for pair in pairs_of(GRAPH_FACTORS) if is_allowed(*pair)}


def test_c(first: int, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Each variant that the target has room for."""
    target = target_or_skip(request.config.getoption("--random-target"))
    seed: int = request.config.getoption("--random-seed")
    last = min(first + PER_PROGRAM, request.config.getoption("--variants"))
    every = [covered(seed, number, target, tmp_path) for number in range(first, last)]
    variants = [each for each in every if each is not None]
    found = run_all(target, variants, tmp_path / "images") if variants else {}
    wrong = {
        each.name: each.row
        for each in variants
        if each.name in found and not each.is_right(found[each.name])
    }
    assert not wrong


def test_graph_that_litert_refuses(tmp_path: Path) -> None:
    """Of another rounding, so that its other options are tried."""
    variant = covered(5, 8, target_or_skip("host"), tmp_path)
    assert variant is not None
    assert ROWS[8]["rounding"] == "litert"
    assert variant.row["rounding"] == "tflm"
