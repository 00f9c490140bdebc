"""Every target builds and runs a model: outputs, counts, and every way in which a run can end."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.available import available_targets
from tests.support.hand_written import (
    CACHE,
    SAMPLE_BYTES,
    build_pair,
    build_snippet,
    expected_output,
    interface,
    target_or_skip,
)
from tinyml_rules.errors import ToolError
from tinyml_rules.firmware.build import build_image
from tinyml_rules.firmware.image import Image
from tinyml_rules.firmware.measure import measure_image
from tinyml_rules.runners import RunResult, run_image, simavr
from tinyml_rules.target.target import Target, load_target, target_names

SAMPLES = bytes(range(256)) * 5  # 64 samples
UNITS = {"host": "", "simavr": "cycles", "qemu": "instructions"}
CRASHES = {
    "avr": '__asm__ volatile("jmp 0x7f00");',  # there is nothing in flash
    "arm": "__builtin_trap();",
    "host": "__builtin_trap();",
    "riscv": '__asm__ volatile("unimp");',
    "xtensa": '__asm__ volatile("ill");',
}
FAULTS = {
    "avr": "crashed",
    "arm": "fault: undefined instruction",
    "host": "crashed: SIGILL",
    "riscv": "fault: illegal instruction at 0x",
    "xtensa": "fault: illegal instruction",
}
PLAIN_FAULTS = {"nrf51": "fault: hard fault at 0x", "rp2040": "fault: hard fault at 0x"}
"""Processors that do not tell which fault it was."""
SPILL_BYTES = {"esp32": 64, "xtensa_lx6": 64}
"""What two calls with register windows reserve for registers that need not be spilled here."""
HANG = 'for (;;) { __asm__ volatile(""); }'


@pytest.fixture(params=available_targets())
def target(request: pytest.FixtureRequest) -> Target:
    """Every target whose tools are installed."""
    name: str = request.param
    return target_or_skip(name)


def run(target: Target, image: Image, samples: bytes, *, timeout_s: float = 60.0) -> RunResult:
    """Run with the shared cache of runners."""
    return run_image(target, image, samples, timeout_s=timeout_s, cache=CACHE)


def error_of(action: Callable[[], object]) -> str:
    """The message of the ToolError that `action` ends in."""
    with pytest.raises(ToolError) as caught:
        action()
    return str(caught.value)


def test_outputs_counts_and_stack(target: Target, tmp_path: Path) -> None:
    image = build_pair(target, tmp_path)
    result = run(target, image, SAMPLES)
    assert result.output == expected_output(SAMPLES)
    assert result.count_unit == UNITS[target.runner.kind]
    if result.count_unit:
        assert len(result.counts) == len(SAMPLES) // SAMPLE_BYTES
        assert min(result.counts) > 0
        assert result == run(target, image, SAMPLES)


def test_the_stack_bound_holds_and_is_close(target: Target, tmp_path: Path) -> None:
    image = build_pair(target, tmp_path)
    measured = run(target, image, SAMPLES).stack_bytes
    bound = measure_image(target, image).invoke_stack_bytes
    if target.architecture == "host":
        assert measured is None
        assert bound is None
        return
    assert measured is not None
    assert bound is not None
    assert measured <= bound <= measured + 24 + SPILL_BYTES.get(target.name, 0)


def test_random_samples(target: Target, tmp_path: Path) -> None:
    samples = random.Random(1).randbytes(SAMPLE_BYTES * 200)  # noqa: S311 - not for secrets
    assert run(target, build_pair(target, tmp_path), samples).output == expected_output(samples)


def test_a_hundred_pictures(target: Target, tmp_path: Path) -> None:
    """Inputs and outputs of any size: of 9,216 bytes where the part has room for one."""
    size = 9216
    if target.test_memory and target.test_memory.ram.bytes < 2 * size:
        size = target.test_memory.ram.bytes // 2
    header = "#include <stdint.h>\nint8_t *bulk_io(void);\nvoid bulk_invoke(void);\n"
    source = f"""
    #include "bulk.h"
    static int8_t values[{size}];
    int8_t *bulk_io(void) {{ return values; }}
    void bulk_invoke(void) {{
        for (int i = 0; i < {size}; i++) {{ values[i] = (int8_t)~values[i]; }}
    }}"""
    image = build_image(
        target,
        sources={"bulk.h": header, "bulk.c": source},
        interface=interface("bulk", {"bulk_io": size}, {"bulk_io": size}),
        kind="test",
        folder=tmp_path,
    )
    pictures = random.Random(2).randbytes(100 * size)  # noqa: S311 - not for secrets
    result = run(target, image, pictures)
    assert result.output == bytes(byte ^ 0xFF for byte in pictures)
    assert len(result.counts) == (100 if result.count_unit else 0)


def test_no_sample_at_all(target: Target, tmp_path: Path) -> None:
    result = run(target, build_pair(target, tmp_path), b"")
    assert result.output == b""
    assert result.counts == ()


@pytest.mark.parametrize("extra", [5, 16])  # inside the first input, and between the two
def test_input_that_ends_inside_a_sample(target: Target, tmp_path: Path, extra: int) -> None:
    image = build_pair(target, tmp_path)
    message = error_of(lambda: run(target, image, SAMPLES[: SAMPLE_BYTES + extra]))
    assert message == f"pair on {target.name}: error: the input ends inside a sample"


def test_a_hang_ends_at_the_time_limit(target: Target, tmp_path: Path) -> None:
    image = build_snippet(target, tmp_path, invoke=HANG)
    message = error_of(lambda: run(target, image, b"a", timeout_s=0.5))
    assert message == f"bad on {target.name}: error: did not finish within 0.5 s"


def test_a_hang_ends_at_the_cycle_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    target = target_or_skip("atmega328")
    monkeypatch.setattr(simavr, "INVOKE_CYCLE_LIMIT", 1_000_000)
    image = build_snippet(target, tmp_path, invoke=HANG)
    message = error_of(lambda: run(target, image, b"a"))
    assert message.endswith("did not finish within 1000000 cycles")


def test_a_crash_names_the_fault(target: Target, tmp_path: Path) -> None:
    image = build_snippet(target, tmp_path, invoke=CRASHES[target.architecture])
    message = error_of(lambda: run(target, image, b"a"))
    fault = PLAIN_FAULTS.get(target.name, FAULTS[target.architecture])
    assert message.startswith(f"bad on {target.name}: error: {fault}")


def test_a_bus_fault_is_named(tmp_path: Path) -> None:
    target = target_or_skip("nrf52840")  # QEMU's LM3S6965 ignores wrong addresses
    invoke = "*(volatile int *)0x90000000 = 1;"
    image = build_snippet(target, tmp_path, invoke=invoke)
    assert "error: fault: bus fault at 0x" in error_of(lambda: run(target, image, b"a"))


def test_an_emulator_without_plugins(tmp_path: Path) -> None:
    target = target_or_skip("lm3s6965")
    image = build_pair(target, tmp_path)
    emulator = tmp_path / "qemu"
    emulator.write_text("#!/bin/sh\necho 'qemu: -plugin: invalid option' >&2\nexit 1\n")
    emulator.chmod(0o755)
    without = replace(target, runner=replace(target.runner, program=str(emulator)))
    message = error_of(lambda: run(without, image, b""))
    assert "cannot load the plugin that counts instructions" in message
    assert "\n  hint: use QEMU" in message


def test_missing_tools_are_named(target: Target, tmp_path: Path) -> None:
    image = build_pair(target, tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", "")
        for action in (
            lambda: run(target, image, b""),
            lambda: build_pair(target, tmp_path / "again"),
        ):
            message = error_of(action)
            assert message.startswith(f"{target.name}: error: missing tools: ")
            assert "hint: run: sudo apt-get install --yes " in message


def test_the_compiler_speaks_for_itself(target: Target, tmp_path: Path) -> None:
    message = error_of(lambda: build_snippet(target, tmp_path, invoke="int unused;"))
    assert message.startswith("bad.c: error: ")
    assert "unused variable" in message


def test_every_runner_kind_is_run() -> None:
    kinds = {load_target(name).runner.kind for name in target_names()}
    assert kinds == set(UNITS)
