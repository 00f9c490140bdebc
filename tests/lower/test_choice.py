"""Every kernel that can do the work of a node gives TFLM's bytes, whichever is chosen."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.chained import chained
from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.operator_cases import (
    OPERATORS,
    cases_of,
    file_of,
    graph_of,
    is_right,
    result_bytes,
    sample_bytes,
    samples_of,
)
from tinyml_rules.compiler import compile_model, select_program
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import random_case
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.reporting.record import to_json
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import run_model
from tinyml_rules.target.target import Target, load_target

NETWORK = random_case(
    chained(
        conv((1, 8, 8, 4), outputs=8, bias_size=None),
        conv((1, 8, 8, 8), window=(1, 1), outputs=16, bias_size=None),
        conv((1, 8, 8, 16), outputs=8, bias_size=None),
        conv((1, 8, 8, 8), window=(1, 1), outputs=12, bias_size=None),
    )
)
OTHERS = (Optimize.BALANCED, Optimize.SPEED)
TARGETS = (SANITIZED, "atmega1284p", "nrf52840")
MOST_CASES = 8
"""Of an operator, for a kernel that is not the first; where it is, `test_cases.py` has them all."""


def _own_kernels(operators: Operators) -> frozenset[str]:
    """Those that not every target has."""
    kernels = (kernel for op in operators.values() for kernel in op.kernels)
    return frozenset(each.name for each in kernels if each.requires)


OWN = _own_kernels(builtin_operators())


def others(model: bytes, target: Target) -> list[tuple[str, str]]:
    """(node, kernel) for each kernel that a node could have and has not."""
    program = select_program(Request(model, "model", target, optimize=Optimize.LAYERS))
    return [(step.name, other) for step in program.steps for other in step.candidates[1:]]


def may_choose(operator: str, target_name: str) -> bool:
    """Whether the target has several kernels for one meaning of the operator, on parts one among
    them that others do not have."""
    features = target_or_skip(target_name).features
    for meaning in builtin_operators()[operator].meanings:
        usable = [
            each
            for each in meaning.kernels
            if each.requires <= features and not each.excludes & features
        ]
        is_own = target_name == SANITIZED or any(each.requires for each in usable)
        if len(usable) > 1 and is_own:
            return True
    return False


@pytest.mark.parametrize("target_name", TARGETS)
def test_every_candidate(target_name: str, tmp_path: Path) -> None:
    """Cases of the operators, their samples first, with each of the other kernels for each node; on
    parts of kernels that others do not have, and of the rest, which are the same C, the samples."""
    target = target_or_skip(target_name)
    jobs, wanted = [], {}
    for operator in OPERATORS:
        seen = Counter[str]()
        first = samples_of(operator)
        more = cases_of(operator) if may_choose(operator, target_name) else ()
        for name in dict.fromkeys((*first, *more)):
            case = cases_of(operator)[name]
            is_here = target_name == SANITIZED or name in first
            for number, other in enumerate(others(file_of(case), target)):
                if not is_here and other[1] not in OWN:
                    continue
                seen[other[1]] += 1
                if seen[other[1]] > MOST_CASES:
                    continue
                graph = graph_of(case, name="model")
                job = f"{operator}_{name}_{number}"
                samples = sample_bytes(case, graph)
                is_sequence = case.is_sequence
                jobs.append(
                    Job(job, file_of(case), samples, is_sequence=is_sequence, kernels=(other,))
                )
                wanted[job] = (case, graph, other)
    assert jobs
    outputs = run_combined(target, jobs, folder=tmp_path)
    wrong = [
        (name, wanted[name][2])
        for name, output in outputs.items()
        if not is_right(wanted[name][0], result_bytes(*wanted[name][:2], output))
    ]
    assert not wrong


def test_names_that_are_none() -> None:
    """A node that is not there, and a kernel that the node cannot have."""
    model = build_model(conv((1, 4, 4, 8), window=(1, 1), outputs=8))
    request = Request(model, "net", load_target("host"))
    for kernels, told in (
        ((("7", "conv_2d"),), "net: error: no node '7' with a kernel"),
        ((("1:0", "conv_2d"),), "net: error: no node '1:0' with a kernel"),
        (
            (("0", "conv_2d"),),
            "net: node 0 (conv_2d): error: 'conv_2d' is not a kernel for this node on this target, "
            "expected one of conv_2d_pointwise\n  hint: ",
        ),
    ):
        with pytest.raises(UnsupportedError) as caught:
            select_program(replace(request, kernels=kernels))
        assert str(caught.value).startswith(told)


@pytest.mark.parametrize("part", ["atmega1284p", "nrf52840", "riscv32imc"])
def test_size(part: str, tmp_path: Path) -> None:
    """A network of many layers takes less flash, has no more kernels, and gives the same bytes."""
    target = target_or_skip(part)
    model = file_of(NETWORK)
    requests = [Request(model, "net", target, optimize=each) for each in (Optimize.SIZE, *OTHERS)]
    names = [{step.kernel.name for step in select_program(each).steps} for each in requests]
    assert len(names[0]) <= len(names[1])
    assert {step.kernel.pack for step in select_program(requests[0]).steps} == {None}
    sizes, outputs = [], set()
    for number, request in enumerate(requests):
        folder = tmp_path / str(number)
        samples = sample_bytes(NETWORK, graph_of(NETWORK, name="net"))
        outcome = run_model(compile_model(request), target, samples, folder=folder)
        sizes.append(to_json(outcome.report)["flash_bytes"])
        outputs.add(outcome.output)
    assert sizes[0] < min(sizes[1:])
    assert len(outputs) == 1
