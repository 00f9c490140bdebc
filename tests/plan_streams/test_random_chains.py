"""Any chain of operators is planned soundly in every schedule, and computes what TFLM computes."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.plan_streams.chains import random_chain
from tests.support.host import host, program_of, samples_and_truth
from tinyml_rules.compile import Compiled, compile_model
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.program import Form, Program
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.plan.tasks import Schedule
from tinyml_rules.plan.verify import verify_plan
from tinyml_rules.request import Request

MODELS = 40
MODELS_A_BINARY = 20
SAMPLES = 4
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@st.composite
def chains(draw: st.DrawFn) -> bytes:
    """A model file."""
    return random_chain(lambda low, high: draw(st.integers(low, high)))


def ram_bytes(steps: Schedule) -> int:
    """Arena and sums of a schedule whose plan is proved."""
    plan = place(steps, lifetimes(steps))
    verify_plan(steps, plan)
    assert plan.arena_bytes >= plan.lower_bound_bytes >= 0
    assert all(offset >= 0 for offset in plan.offsets.values())
    last = [task.steps[-1] for task in steps.tasks]
    return plan.arena_bytes + sum(4 * step.sums for step in last if step.kernel.form is Form.ROWS)


def schedules(program: Program) -> Iterator[Schedule]:
    """By layers, as is best, and with rows pushed where that is possible."""
    yield schedule(program, mode=Mode.LAYER)
    yield schedule(program, mode=Mode.AUTO)
    try:
        yield schedule(program, mode=Mode.AUTO, is_pushed=True)
    except UnsupportedError:
        return


@settings(
    derandomize=True,
    max_examples=250,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(chains())
def test_every_schedule_is_sound_and_streams_save(model: bytes) -> None:
    layer, auto, *_ = map(ram_bytes, schedules(program_of(model)))
    assert auto <= layer


@dataclass(frozen=True)
class Variant:
    """One model under one schedule, with what is expected of it."""

    compiled: Compiled
    samples: bytes
    truth: bytes


def variants(number: int) -> Iterator[Variant]:
    """Every second model is a checked build."""
    generator = np.random.default_rng(number)
    model = random_chain(lambda low, high: int(generator.integers(low, high + 1)))
    samples, truth = samples_and_truth(model, count=SAMPLES)
    for mode, is_pushed in ((Mode.LAYER, False), (Mode.AUTO, False), (Mode.AUTO, True)):
        name = f"m{number}_{mode}_{'pushed' if is_pushed else 'whole'}"
        is_checked = number % 2 == 1
        request = Request(
            model, name, host(), schedule=mode, push_rows=is_pushed, checked=is_checked
        )
        try:
            yield Variant(compile_model(request), samples, truth)
        except UnsupportedError:
            assert is_pushed


def main_text(group: list[Variant]) -> str:
    """A program that runs each model on its samples, from standard input to standard output."""
    lines = ["#include <stdio.h>"]
    lines += [f'#include "{each.compiled.interface.name}.c"' for each in group]
    lines.append("int main(void) {")
    for each in group:
        lines += [f"    for (int i = 0; i < {SAMPLES}; i++) {{", *_sample(each), "    }"]
    return "\n".join([*lines, "    return 0;", "}", ""])


def _sample(variant: Variant) -> Iterator[str]:
    interface = variant.compiled.interface
    (source,) = interface.inputs
    if interface.pushed_rows:
        yield f"        int8_t row[{interface.row_bytes}];"
        yield f"        for (int r = 0; r < {interface.pushed_rows}; r++) {{"
        yield "            if (fread(row, 1, sizeof row, stdin) != sizeof row) return 1;"
        yield f"            {interface.entry}(row);"
        yield "        }"
    else:
        count = source.count
        yield f"        if (fread({source.accessor}(), 1, {count}, stdin) != {count}) return 1;"
        yield f"        {interface.entry}();"
    for port in interface.outputs:
        yield f"        fwrite({port.accessor}(), 1, {port.count}, stdout);"


@pytest.mark.parametrize("first", range(0, MODELS, MODELS_A_BINARY))
def test_outputs_are_those_of_tflm(first: int, tmp_path: Path) -> None:
    """Many models in one binary, under the sanitizers of addresses and undefined behaviour."""
    group = [each for number in range(first, first + MODELS_A_BINARY) for each in variants(number)]
    for each in group:
        for name, text in each.compiled.files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "main.c").write_text(main_text(group), encoding="utf-8")
    program = tmp_path / "all"
    flags = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", *SANITIZERS)
    command = ["gcc", *flags, str(tmp_path / "main.c"), "-o", str(program)]
    subprocess.run(command, check=True, timeout=300)
    samples = b"".join(each.samples for each in group)
    done = subprocess.run(
        [str(program)], input=samples, capture_output=True, timeout=300, check=True
    )
    position, wrong = 0, []
    for each in group:
        found = done.stdout[position : position + len(each.truth)]
        position += len(each.truth)
        if found != each.truth:
            wrong.append(each.compiled.interface.name)
    assert position == len(done.stdout)
    assert not wrong
