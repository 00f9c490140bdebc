"""The profile that firmware makes of itself, beside the exact one of the same emulator."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import PROJECT, ZooModel
from tests.docs.pages import code_blocks, read_page
from tests.frontends.builds import SINE, run
from tests.package.package_builds import serial_text
from tests.plan.chains import random_chain
from tests.runners.test_hooks import with_hooks
from tests.runners.test_profile import profiled
from tests.support.hand_written import target_or_skip
from tinyml_rules.cli import main
from tinyml_rules.compiler import compile_model
from tinyml_rules.firmware.build import build_image
from tinyml_rules.ir.graph import Array
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request
from tinyml_rules.runners import run_image
from tinyml_rules.runners.arrays import pack_samples
from tinyml_rules.runners.pattern import pattern_inputs
from tinyml_rules.system.files import write_files
from tinyml_rules.target.target import Target

PRINTING = """
#include <stddef.h>
#define {NAME}_PROFILE
#define {NAME}_PUT(c) put(c)
#define {NAME}_NODE_BEGIN(node) begin()
#define {NAME}_NODE_END(node) {name}_end_stay(node), {name}_profile_print()
void tinyml_port_write(const void *, size_t);
static void {name}_begin_stay(void);
static void {name}_end_stay(int node);
void {name}_profile_begin(void);
static void put(char letter) {{ tinyml_port_write(&letter, 1); }}
static void begin(void) {{
    static int begun;
    if (begun++ == 0) {{
        {name}_profile_begin();
    }}
    {name}_begin_stay();
}}
"""
"""Lines go where the outputs go, behind each stay; the last ones count."""
LINE = re.compile(rb"^\w+ (\d+) (\w+) (\d+) (\d+)$", re.M)
REGISTERS = {"DEMCR": 0xE000EDFC, "DWT_CTRL": 0xE0001000, "DWT_LAR": 0xE0001FB0}
"""CoreDebug_BASE + 0x0c, DWT_BASE, DWT_BASE + 0xfb0 of CMSIS."""
NANOSECONDS = {"xtensa_lx6": 25.0, "nrf51": 62.5, "lm3s6965": 80.0}
"""That QEMU's clock of the machine has for a tick, where an instruction takes one nanosecond."""


def counted(target: Target) -> Target:
    """QEMU's time is that of its instructions, one nanosecond each."""
    words = (*target.runner.arguments, "-icount", "shift=0")
    return replace(target, runner=replace(target.runner, arguments=words))


def on_device(request: Request, folder: Path, *, more: str = "") -> dict[str, tuple[int, int]]:
    """{node: (count, stays)} of one inference, as the firmware prints them."""
    text = PRINTING.format(NAME=request.name.upper(), name=request.name)
    target = with_hooks(request.target, folder, request.name, text + more)
    compiled = compile_model(replace(request, hooks=True))
    image = build_image(
        target,
        sources=compiled.outputs,
        interface=compiled.interface,
        kind="test",
        folder=folder / "build",
    )
    samples = pack_samples(compiled.interface, pattern_inputs(compiled.interface), where="test")
    printed = LINE.findall(run_image(target, image, samples).output)
    ops = {str(node.node): node.op.upper() for node in compiled.report.nodes}
    assert {node.decode(): op.decode() for node, op, _, _ in printed} == ops
    return {node.decode(): (int(count), int(entered)) for node, _, count, entered in printed}


def sine(target: Target) -> Request:
    data = (SINE / "sine.tflite").read_bytes()
    return Request(data, "sine", target, optimize=Optimize.LAYERS)


@pytest.mark.parametrize("part", ["atmega328", "riscv32imc"])
def test_counts_are_those_of_the_emulator(part: str, tmp_path: Path) -> None:
    """To the cycle or instruction, but for how the compiler arranges the code around a hook."""
    target = target_or_skip(part)
    exact = profiled(sine(target), pattern_of(sine(target)), most=1).profile
    request = sine(counted(target) if target.runner.kind == "qemu" else target)
    found = on_device(request, tmp_path)
    for node in exact.nodes:
        count, entered = found[node.label]
        assert entered == 1
        assert abs(count - node.count) <= 2, node


@pytest.mark.parametrize("part", [*NANOSECONDS, "nrf51 without a choice"])
def test_ticks_of_a_machine(part: str, tmp_path: Path) -> None:
    """CCOUNT and SysTick go with QEMU's clock, many instructions a tick: the stay, and the empty
    one that is taken off, begin and end somewhere in one, and the code around a hook is not that of
    a mark."""
    name = part.split(maxsplit=1)[0]
    target = target_or_skip(name)
    exact = profiled(sine(target), pattern_of(sine(target)), most=1).profile
    choice = "#define SINE_PROFILE_SYSTICK\n" if part in ("nrf51", "lm3s6965") else ""
    found = on_device(sine(counted(target)), tmp_path, more=choice)
    for node in exact.nodes:
        ticks = node.count / NANOSECONDS[name]
        assert abs(found[node.label][0] - ticks) <= 3, node


def test_rows_that_take_turns_add_up(tmp_path: Path) -> None:
    """A node is entered once a row; its stays are those of the trace."""
    target = target_or_skip("riscv32imc")
    generator = np.random.default_rng(88)
    model = random_chain(lambda low, high: int(generator.integers(low, high + 1)))
    request = Request(model, "chain", target, schedule=Mode.STREAM)
    exact = profiled(request, pattern_of(request), most=1).profile
    found = on_device(replace(request, target=counted(target)), tmp_path)
    assert max(entered for _, entered in found.values()) >= 3
    for node in exact.nodes:
        count, entered = found[node.label]
        assert abs(count - node.count) <= 16 * entered, node


def test_a_timer_that_is_full_many_times(zoo_model: ZooModel, tmp_path: Path) -> None:
    """The AVR's has 16 bits, speech takes millions of cycles: interrupts count on."""
    target = target_or_skip("atmega1284p")
    request = Request(zoo_model("speech").read_bytes(), "speech", target)
    exact = profiled(request, pattern_of(request), most=1).profile
    found = on_device(request, tmp_path)
    for node in exact.nodes:
        count, entered = found[node.label]
        assert count == pytest.approx(node.count, rel=0.002, abs=8 * entered + 40), node


def test_cycle_counter_of_cortex_m(tmp_path: Path) -> None:
    """QEMU has no DWT: its registers, by ARM's own header, are those that the code touches."""
    target = target_or_skip("stm32f405")
    compiled = compile_model(replace(sine(target), hooks=True))
    text = "#define SINE_PROFILE\n#define SINE_PUT(c) put(c)\nvoid put(char);\n"
    (tmp_path / "sine_hooks.h").write_text(text)
    write_files(compiled.files, tmp_path)
    words = [target.toolchain.program("gcc"), *target.toolchain.compile_flags]
    code = run([*words, "-I.", "-O2", "-S", "-o", "-", "sine.c"], tmp_path).stdout
    function = code[code.index("sine_profile_begin:") :]
    function = function[: function.index(".size")]
    numbers = {int(each) & 0xFFFFFFFF for each in re.findall(r"-?\d{9,}", function)}
    for register in ("DEMCR", "DWT_LAR", "DWT_CTRL"):
        assert any(abs(number - REGISTERS[register]) < 4096 for number in numbers), register


def pattern_of(request: Request) -> dict[str, Array]:
    return dict(pattern_inputs(compile_model(request).interface))


WATCHED = """
#include <avr/io.h>
#include <avr/wdt.h>
#include "digits.h"
static void put(char letter)
{
    while (!(UCSR0A & (1 << UDRE0))) {
    }
    UDR0 = letter;
}
int main(void)
{
    MCUSR = 0;
    wdt_disable();
    UCSR0B = 1 << TXEN0;
    for (const char *text = "begins\\n"; *text; text++) {
        put(*text);
    }
    wdt_enable(WDTO_15MS);
    digits_invoke();
    wdt_disable();
    for (const char *text = "done\\n"; *text; text++) {
        put(*text);
    }
    for (;;) {
    }
}
"""


@pytest.mark.parametrize("is_fed", [True, False])
def test_a_watchdog_is_fed(is_fed: bool, tmp_path: Path) -> None:
    """20 ms of inference under a watchdog of 16 ms: with the hook of the page it ends."""
    target = target_or_skip("atmega328")
    digits = PROJECT / "examples" / "digits"
    model = tmp_path / "digits.tflite"
    words = ["--calibration", str(digits / "calibration.npz"), "--quiet"]
    words += ["--sensor", str(digits / "sensor.toml"), "--out", str(model)]
    assert main(["quantize", str(digits / "digits.tflite"), *words]) == 0
    hooks = [each for each in code_blocks(read_page("how-to/profile.md"), "c") if "wdt" in each]
    (tmp_path / "digits_hooks.h").write_text(hooks[0] if is_fed else "")
    compiled = compile_model(Request(model.read_bytes(), "digits", target, hooks=True))
    write_files({**compiled.files, "main.c": WATCHED}, tmp_path)
    flags = ["-mmcu=atmega328p", "-Os", "-I.", "main.c", "digits.c", "-o", "watched.elf"]
    done = run([target.toolchain.program("gcc"), *flags], tmp_path)
    assert done.returncode == 0, done.stderr
    printed = serial_text(tmp_path / "watched.elf", part="atmega328p", count=2)
    assert printed.split()[-2:] == ["begins", "done" if is_fed else "begins"]
