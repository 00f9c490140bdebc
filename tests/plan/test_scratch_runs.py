"""Checked builds overwrite scratch memory after each row, and are right on the emulators."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.plan.test_room import SEVERAL
from tests.support.combined import Job, run_combined, target_or_skip
from tests.support.host import samples_and_truth
from tinyml_rules.compiler import compile_model, select_program
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request


@pytest.mark.parametrize("target_name", ["atmega1284p", "nrf52840", "riscv32imc"])
def test_a_stream_with_scratch_memory(target_name: str, tmp_path: Path) -> None:
    target = target_or_skip(target_name)
    request = Request(SEVERAL, "model", target, schedule=Mode.STREAM, checked=True)
    steps = select_program(request).steps
    size = max(each.size_bytes for step in steps for each in step.scratch)
    place = r"(?:model_arena|&model_arena\[\d+\])"
    text = compile_model(request).files["model.c"]
    calls = re.findall(rf"model_poison\({place}, {size},", text)
    assert len(calls) >= sum(bool(step.scratch) for step in steps)
    samples, truth = samples_and_truth(SEVERAL, count=3)
    job = Job("model", SEVERAL, samples)
    assert run_combined(target, [job], folder=tmp_path, is_checked=True)["model"] == truth
