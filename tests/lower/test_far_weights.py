"""Weights beyond the reach of 16-bit addresses: which go there, and that the results stay exact."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from tests.lower.models import IMAGE, dense_model, large_model
from tests.support.combined import Job, run_combined, target_or_skip
from tests.support.hand_written import build_snippet
from tests.support.operator_cases import (
    cases_of,
    file_of,
    graph_of,
    is_right,
    result_bytes,
    sample_bytes,
)
from tests.support.stages import passed
from tests.support.tflm import tflm_outputs
from tests.weights.external import random_samples
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import ToolError
from tinyml_rules.ir.program import Program
from tinyml_rules.lower.far_weights import move_weights_far
from tinyml_rules.lower.select import select
from tinyml_rules.ops import builtin_operators
from tinyml_rules.plan import programs
from tinyml_rules.reporting.record import to_json
from tinyml_rules.request.request import Request
from tinyml_rules.runners import run_image
from tinyml_rules.runners.model import run_model
from tinyml_rules.target.target import load_target

PARTS = ("atmega1284p", "atmega2560")
OPERATORS = ("conv_2d", "depthwise_conv_2d", "fully_connected")
Rule = Callable[[Program], Program]
everything_far = partial(move_weights_far, near_bytes=0)


def program_of(model: bytes, target: str = "atmega2560") -> Program:
    """The program before any weights are moved."""
    graph = passed(model)
    return select(graph, load_target(target).features, builtin_operators())


def far_steps(program: Program) -> list[int]:
    """The places of the steps whose weights lie far."""
    return [place for place, step in enumerate(program.steps) if step.kernel.is_far]


def text_of(model: bytes, target: str) -> str:
    """The generated C."""
    return compile_model(Request(model, "model", load_target(target))).files["model.c"]


@pytest.mark.parametrize("target", PARTS)
@pytest.mark.parametrize("rule", [move_weights_far, everything_far], ids=["by size", "all"])
def test_a_large_model_is_exact(
    target: str, rule: Rule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = target_or_skip(target)
    monkeypatch.setattr(programs, "move_weights_far", rule)
    model = large_model()
    compiled = compile_model(Request(model, "model", part))
    samples = random_samples(3, *IMAGE)
    (expected,) = tflm_outputs(model, [samples])
    outcome = run_model(compiled, part, samples.tobytes(), folder=tmp_path)
    assert outcome.output == expected.tobytes()
    assert to_json(outcome.report)["flash_bytes"] > 110_000
    found = re.findall(r"__memx model_(node_\d)_weights", compiled.files["model.c"])
    assert found == [f"node_{node}" for node in ((0, 2) if rule is move_weights_far else range(4))]


def test_a_model_that_fits_has_no_far_access() -> None:
    model = dense_model(200, 150, 150)  # 52.5 kB
    assert far_steps(move_weights_far(program_of(model))) == []
    text = text_of(model, "atmega2560")
    assert "__memx" not in text
    assert "_far" not in text


def test_the_largest_tables_go_first() -> None:
    """The fewest steps pay for a longer address."""
    program = program_of(dense_model(100, 100, 240, 150, 90, 90))  # 10, 24, 36, 14 and 8 kB
    assert far_steps(move_weights_far(program)) == [2]
    assert far_steps(move_weights_far(program, near_bytes=50_000)) == [1, 2]
    assert far_steps(move_weights_far(program, near_bytes=0)) == [0, 1, 2, 3, 4]


def test_a_table_too_large_for_an_array_goes_far() -> None:
    assert far_steps(move_weights_far(program_of(dense_model(200, 164)))) == [0]  # 32,800 bytes
    assert far_steps(move_weights_far(program_of(dense_model(200, 163)))) == []


@pytest.mark.parametrize("target", ["atmega328", "host"])
def test_other_parts_have_no_far_weights(target: str) -> None:
    program = program_of(dense_model(200, 164), target)
    assert everything_far(program) == program


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_far_kernel_is_exact(
    operator: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All cases of the operators with weights, none of which would be near."""
    part = target_or_skip("atmega2560")
    monkeypatch.setattr(programs, "move_weights_far", everything_far)
    cases = {
        name: case
        for name, case in cases_of(operator).items()
        if not name.startswith("real") and "computed" not in name
        if graph_of(case, name=name).nodes
    }  # those have no far form, nor has what is constant
    graphs = {name: graph_of(case, name=f"{operator}_{name}") for name, case in cases.items()}
    jobs = [
        Job(graphs[name].name, file_of(case), sample_bytes(case, graphs[name]))
        for name, case in cases.items()
    ]
    outputs = run_combined(part, jobs, folder=tmp_path)
    texts = [file.read_text() for file in tmp_path.glob(f"{operator}_*.c")]
    assert len(texts) == len(cases)
    assert all(re.search(r"extern const u?int8_t __memx", text) for text in texts)
    wrong = [
        name
        for name, case in cases.items()
        if not is_right(case, result_bytes(case, graphs[name], outputs[graphs[name].name]))
    ]
    assert not wrong


@pytest.mark.parametrize("target", PARTS)
def test_variables_that_are_stored_above_64_kb(target: str, tmp_path: Path) -> None:
    """Startup copies their first values from there."""
    part = target_or_skip(target)
    sizes = (30_001, 30_002, 30_003)
    tables = [
        f"static const __memx int8_t bad_{size}[{size}] = {{ {size % 7 + 1} }};" for size in sizes
    ]
    image = build_snippet(
        part,
        tmp_path,
        before="\n".join((*tables, "static volatile int8_t bad_first[4] = { 11, -22, 33, -44 };")),
        invoke=f"""
        const int far = {" + ".join(f"bad_{size}[(uint8_t)bad_value]" for size in sizes)};
        bad_value = (int8_t)(bad_first[bad_value & 3] + far);""",
    )
    with image.elf.open("rb") as file:
        (segment,) = (
            each
            for each in ELFFile(file).iter_segments(type="PT_LOAD")
            if each["p_vaddr"] >= 0x80_0000 and each["p_filesz"]
        )
        assert segment["p_paddr"] > 0x10000
    output = run_image(part, image, bytes((4, 1, 2, 3))).output  # the tables are 0 there
    assert list(output) == [11, 256 - 22, 33, 256 - 44]


def test_near_constants_of_two_models_that_exceed_the_reach(tmp_path: Path) -> None:
    """No model knows of the other; the linker does."""
    part = target_or_skip("atmega2560")
    jobs = [Job(name, dense_model(200, 160), bytes(200)) for name in ("one", "two", "three")]
    assert len(run_combined(part, jobs[:2], folder=tmp_path)) == 2
    with pytest.raises(ToolError) as caught:
        run_combined(part, jobs, folder=tmp_path)
    assert "near constants exceed 64 kB: " in str(caught.value)
