"""Networks as people build them give TFLM's bytes, and take the memory that they took."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.architectures import images, sequences
from tests.architectures.network import SAMPLES
from tests.support.combined import Job, run_combined, target_or_skip
from tests.support.families.growing import KNOWN
from tests.support.host import host
from tests.support.operator_cases import (
    expected_bytes,
    file_of,
    graph_of,
    is_right,
    oracle_bytes,
    result_bytes,
    sample_bytes,
)
from tinyml_rules.compiler import compile_model, select_program
from tinyml_rules.ir.program import Program
from tinyml_rules.ops._shared.cases.case import Case
from tinyml_rules.plan.lifetimes import step_lifetimes
from tinyml_rules.request.request import Request

ARCHITECTURES: Mapping[str, Callable[[], Case]] = {
    made.__name__: made
    for made, needs in (
        (images.efficientnet_lite, ()),
        (images.mobilenet_v2, ()),
        (images.mobilenet_v3, ()),
        (images.shufflenet, ()),
        (images.unet, ()),
        (images.yolo, ("RESIZE_NEAREST_NEIGHBOR",)),
        (sequences.gru, ()),
        (sequences.tcn, ()),
        (sequences.transformer, ()),
    )
    if KNOWN.issuperset(needs)
}
"""Those whose operators there are."""
each_architecture = pytest.mark.parametrize("name", ARCHITECTURES)


@dataclass(frozen=True)
class Figures:
    """What a network takes: RAM, the largest sum of tensors that are alive at once layer by layer,
    and how many steps copy elements."""

    ram_bytes: int
    live_bytes: int
    copies: int


FIGURES = {
    "efficientnet_lite": Figures(3_072, 10_368, 0),
    "gru": Figures(96, 104, 0),
    "mobilenet_v2": Figures(2_784, 10_368, 0),
    "mobilenet_v3": Figures(1_824, 4_608, 0),
    # each copy mixes the channels of a block
    "shufflenet": Figures(1_542, 1_792, 3),
    "tcn": Figures(768, 768, 0),
    # heads are runs of values within a step: query, key and value are turned, and the result back
    "transformer": Figures(924, 1_104, 4),
    "unet": Figures(2_848, 7_168, 0),
    "yolo": Figures(3_200, 5_120, 0),
}


@cache
def case_of(name: str) -> Case:
    """The model with its samples."""
    return ARCHITECTURES[name]()


@each_architecture
def test_outputs_differ(name: str) -> None:
    """From sample to sample, so that a wrong byte somewhere shows at the end."""
    case = case_of(name)
    count = len(case.samples[0])
    outputs = np.frombuffer(expected_bytes(case), np.int8).reshape(count, -1)[:SAMPLES]
    assert (outputs != outputs[0]).any(axis=0).mean() >= 0.4


@each_architecture
def test_oracle(name: str) -> None:
    """The operators' meanings in numpy."""
    case = case_of(name)
    graph = graph_of(case, name=name)
    assert is_right(case, result_bytes(case, graph, oracle_bytes(case, graph)))


@pytest.mark.parametrize("target_name", ["host", "nrf52840"])
@each_architecture
def test_c(name: str, target_name: str, tmp_path: Path) -> None:
    """As it is compiled by default; a checked build on the host."""
    case = case_of(name)
    graph = graph_of(case, name=name)
    job = Job(name, file_of(case), sample_bytes(case, graph))
    outputs = run_combined(target_or_skip(target_name), [job], folder=tmp_path)
    assert is_right(case, result_bytes(case, graph, outputs[name]))


def live_bytes(program: Program) -> int:
    """The largest sum of what is alive while a step runs, every layer by itself."""
    alive = step_lifetimes(program)
    return max(
        sum(each.size_bytes for each in alive if each.first <= number <= each.last)
        for number in range(len(program.steps))
    )


@each_architecture
def test_memory(name: str) -> None:
    """Today's figures: whoever makes one smaller writes it down here."""
    request = Request(file_of(case_of(name)), name, host())
    program = select_program(request)
    found = Figures(
        compile_model(request).report.model_ram_bytes,
        live_bytes(program),
        sum(step.kernel.name.startswith("copy") for step in program.steps),
    )
    assert found == FIGURES[name]
