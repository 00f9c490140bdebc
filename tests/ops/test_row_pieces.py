"""A window kernel makes any piece of an output row: in checked builds every row is made of two."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from pathlib import Path

import pytest

from tests.support.chosen_kernels import cases_worth_running, kernels_of
from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.operator_cases import (
    OPERATORS,
    cases_of,
    file_of,
    graph_of,
    is_right,
    result_bytes,
    sample_bytes,
)
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.lower.far_weights import move_weights_far
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import Case
from tinyml_rules.plan import programs
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

TARGETS = ("atmega1284p", "nrf52840", "mps3_an547", "esp8266", SANITIZED)
"""Each has window kernels of its own."""
FAR = "atmega1284p"
MOST = 9
"""Cases with the same kernels on a part, from all of them in even steps; on the host all run."""


def _kernels(operator: str) -> tuple[Kernel, ...]:
    op = builtin_operators()[operator]
    return tuple(kernel for meaning in op.meanings for kernel in meaning.kernels)


WINDOWED = [
    operator
    for operator in OPERATORS
    if any(kernel.form is Form.WINDOW for kernel in _kernels(operator))
]


def _cases(operator: str, target_name: str) -> dict[str, Case]:
    """Those with a window kernel."""
    found = cases_worth_running(operator, target_name, Form.WINDOW)
    if target_name == SANITIZED:
        return found
    alike = defaultdict[tuple[Kernel, ...], list[str]](list)
    for name, case in found.items():
        alike[kernels_of(case, target_name)].append(name)
    steps = ((names, -(-len(names) // MOST)) for names in alike.values())
    chosen = {name for names, step in steps for name in names[::step]}
    return {name: case for name, case in found.items() if name in chosen}


def _wrong(operator: str, target_name: str, folder: Path) -> list[str]:
    """The cases that give other bytes than TFLM, of those with a window kernel that fit the
    target."""
    target = target_or_skip(target_name)
    cases = _cases(operator, target_name)
    graphs = {name: graph_of(case, name=f"{operator}_{name}") for name, case in cases.items()}
    jobs = [
        Job(graphs[name].name, file_of(case), sample_bytes(case, graphs[name]))
        for name, case in cases.items()
    ]
    outputs = run_combined(target, jobs, folder=folder, is_checked=True)
    assert len(outputs) >= 0.9 * len(cases)
    return [
        name
        for name, case in cases.items()
        if graphs[name].name in outputs
        and not is_right(case, result_bytes(case, graphs[name], outputs[graphs[name].name]))
    ]


@pytest.mark.parametrize("operator", WINDOWED)
@pytest.mark.parametrize("target_name", TARGETS)
def test_pieces_make_the_row(operator: str, target_name: str, tmp_path: Path) -> None:
    assert not _wrong(operator, target_name, tmp_path)


@pytest.mark.parametrize("operator", ["conv_2d", "depthwise_conv_2d"])
def test_with_weights_that_lie_far(
    operator: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "move_weights_far", partial(move_weights_far, near_bytes=0))
    assert not _wrong(operator, FAR, tmp_path)


@pytest.mark.parametrize("operator", WINDOWED)
def test_only_checked_builds_have_pieces(operator: str) -> None:
    model = file_of(cases_of(operator)["same"])
    texts = {
        is_checked: compile_model(
            Request(model, "model", load_target("host"), checked=is_checked)
        ).files["model.c"]
        for is_checked in (False, True)
    }
    assert "_pieces(" in texts[True] and "int first_pixel, int pixels)" in texts[True]
    assert "_pieces(" not in texts[False] and "first_pixel" not in texts[False]
