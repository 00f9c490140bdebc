"""Macros of the user's around each node: called in order, and nothing where there are none."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.arena.test_early_ends import MODELS as ENDING
from tests.frontends.builds import SINE
from tests.plan.chains import random_chain
from tests.support.hand_written import target_or_skip
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.reporting.record import to_json
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import run_on_arrays
from tinyml_rules.runners.pattern import pattern_inputs
from tinyml_rules.target.target import Target

COUNTING = """
static int tinyml_called;
#define {NAME}_NODE_BEGIN(node) (tinyml_called += (node) + 1)
#define {NAME}_NODE_END(node) count_end(node, (int8_t *){output}())
static void count_end(int node, int8_t *output) {{
    tinyml_called += 10 * (node) + 10;
    if (node == {last}) {{
        *output = (int8_t)tinyml_called;
        tinyml_called = 0;
    }}
}}
"""
TRAPPING = """
static int tinyml_open = -1;
#define {NAME}_NODE_BEGIN(node) (void)(tinyml_open == -1 || trap()), tinyml_open = (node)
#define {NAME}_NODE_END(node) (void)(tinyml_open == (node) || trap()), tinyml_open = -1
static int trap(void) {{
    __builtin_trap();
    return 0;
}}
"""
HOOK = re.compile(r"_NODE_(?:BEGIN|END)\((\d+)\);")


def with_hooks(target: Target, folder: Path, name: str, text: str) -> Target:
    """The target, whose compiler finds the file of hooks."""
    (folder / f"{name}_hooks.h").write_text(text)
    flags = (*target.toolchain.compile_flags, f"-I{folder}")
    return replace(target, toolchain=replace(target.toolchain, compile_flags=flags))


def outputs_of(compiled: Compiled, target: Target) -> bytes:
    inputs = pattern_inputs(compiled.interface, samples=3)
    return run_on_arrays(compiled, target, inputs, where="test").output


@pytest.mark.parametrize("part", ["nrf52840", "atmega328"])
def test_macros_are_called(part: str, tmp_path: Path) -> None:
    """Before and behind each of three nodes: 1 + 2 + 3 and 10 + 20 + 30 in the output's place."""
    target = target_or_skip(part)
    compiled = compile_model(
        Request(
            (SINE / "sine.tflite").read_bytes(),
            "sine",
            target,
            hooks=True,
            optimize=Optimize.LAYERS,
        )
    )
    (output,) = compiled.interface.outputs
    text = COUNTING.format(NAME="SINE", last=2, output=output.accessor)
    assert HOOK.findall(compiled.files["sine.c"]) == ["0", "0", "1", "1", "2", "2"]
    assert outputs_of(compiled, with_hooks(target, tmp_path, "sine", text)) == bytes([66] * 3)


@pytest.mark.parametrize("part", ["nrf52840", "atmega328"])
def test_without_macros_nothing_is_added(part: str) -> None:
    """The same flash, the same count, the same outputs."""
    target = target_or_skip(part)
    model = (SINE / "sine.tflite").read_bytes()
    request = Request(model, "sine", target, optimize=Optimize.LAYERS)
    found = []
    for hooks in (False, True):
        compiled = compile_model(replace(request, hooks=hooks))
        inputs = pattern_inputs(compiled.interface, samples=3)
        found.append(run_on_arrays(compiled, target, inputs, where="test"))
    plain, hooked = found
    assert hooked.output == plain.output
    before, after = to_json(plain.report), to_json(hooked.report)
    for figure in ("flash_bytes", "ram_bytes", "stack_bytes"):
        assert after[figure] == before[figure]
    for unit in {"cycles", "instructions"} & before.keys():
        assert after[unit] == before[unit]


@pytest.mark.parametrize("push_rows", [False, True])
def test_rows_in_turn(push_rows: bool, tmp_path: Path) -> None:
    """In a stream each node ends before another begins."""
    target = target_or_skip("nrf52840")
    generator = np.random.default_rng(88)
    model = random_chain(lambda low, high: int(generator.integers(low, high + 1)))
    how = Request(model, "chain", target, schedule=Mode.STREAM, push_rows=push_rows, hooks=True)
    hooked = compile_model(how)
    assert hooked.report.streams
    trapping = with_hooks(target, tmp_path, "chain", TRAPPING.format(NAME="CHAIN"))
    plain = compile_model(replace(how, hooks=False))
    assert outputs_of(hooked, trapping) == outputs_of(plain, target)


def test_a_node_that_ends_the_inference_ends(tmp_path: Path) -> None:
    """Else the next inference would begin inside of it."""
    target = target_or_skip("lm3s6965")
    request = Request(build_model(ENDING["one"]), "one", target, hooks=True)
    hooked, plain = (compile_model(replace(request, hooks=each)) for each in (True, False))
    trapping = with_hooks(target, tmp_path, "one", TRAPPING.format(NAME="ONE"))
    assert outputs_of(hooked, trapping) == outputs_of(plain, target)


def test_without_the_option_there_are_none() -> None:
    model = (SINE / "sine.tflite").read_bytes()
    text = compile_model(Request(model, "sine", target_or_skip("host"))).files["sine.c"]
    assert "NODE_BEGIN" not in text
