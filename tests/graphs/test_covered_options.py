"""Random graphs with options of which every two occur: the C gives TFLM's bytes, on the host under
sanitizers and on parts.

Some in every run; `./tinyml conformance variants=1000` has as many as it is told, with a seed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.graphs.covered import (
    GRAPH_FACTORS,
    PER_PROGRAM,
    ROWS,
    covered,
    is_of_clang,
    objects_of_clang,
    run_all,
)
from tests.pairs.covering import pairs_in, pairs_of
from tests.pairs.requests import FACTORS, is_allowed
from tests.support.combined import SANITIZED, target_or_skip
from tinyml_rules.system.process import run_program, run_tool
from tinyml_rules.system.programs import find_program


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """As many tests as there are programs of variants."""
    if "first" in metafunc.fixturenames:
        count = metafunc.config.getoption("--variants")
        metafunc.parametrize("first", range(0, count, PER_PROGRAM))


def test_rows() -> None:
    """Every two values that go together are in one, but for sensors'."""
    assert GRAPH_FACTORS.keys() - FACTORS.keys() == {"kernel"}
    met = set().union(*map(pairs_in, ROWS))
    assert met == {pair for pair in pairs_of(GRAPH_FACTORS) if is_allowed(*pair)}


def test_c(first: int, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Each variant that the target has room for."""
    target = target_or_skip(request.config.getoption("--random-target"))
    seed: int = request.config.getoption("--random-seed")
    last = min(first + PER_PROGRAM, request.config.getoption("--variants"))
    every = [covered(seed, number, target, tmp_path) for number in range(first, last)]
    variants = [each for each in every if each is not None]
    folder, by_clang = tmp_path / "images", is_of_clang(target, first)
    found = run_all(target, variants, folder, by_clang=by_clang) if variants else {}
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


FAULTY = """\
#include <stdlib.h>
static const unsigned char known[4] = {1, 2, 3, 4};
static const unsigned char *at = known;
int main(int count, char **words)
{
    const int place = atoi(words[1]), shift = atoi(words[2]), more = atoi(words[3]);
    return count != 4 || at[place] != place + 1 || (1 << shift) == 0 || 2147483640 + more < 0;
}
"""


def test_faults_in_objects_of_clang(tmp_path: Path) -> None:
    """The libraries of GCC end a program at each."""
    if find_program("clang") is None:
        pytest.skip("missing packages: clang")
    target, source = target_or_skip(SANITIZED), tmp_path / "faulty.c"
    source.write_text(FAULTY, encoding="utf-8")
    objects = list(objects_of_clang(target, [source], tmp_path))
    program, map_file = tmp_path / "faulty", tmp_path / "map"
    run_tool(
        target.toolchain.link_command(objects, program, map_file=map_file, memory=None), where=""
    )
    for words, text in (
        (("3", "1", "7"), ""),
        (("4", "1", "7"), "global-buffer-overflow"),
        (("3", "32", "7"), "shift exponent 32 is too large"),
        (("3", "1", "8"), "signed integer overflow"),
    ):
        done = run_program([str(program), *words], where="faulty", timeout_s=20)
        assert text in done.stderr.decode()
        assert (done.returncode == 0) == (text == "")
