"""RISC-V: what startup protects, what a trap is called, and libgcc's division on the stack."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.hand_written import CACHE, build_snippet, target_or_skip
from tinyml_rules.errors import ToolError
from tinyml_rules.firmware.measure import measure_image
from tinyml_rules.runners import run_image
from tinyml_rules.target.parts import own_targets
from tinyml_rules.target.target import Target, load_target

RISCV = [name for name in own_targets() if load_target(name).architecture == "riscv"]

NOWHERE = "enum { NOWHERE = 0x200000 }; /* a hole in the machine's map */"


@pytest.fixture(params=RISCV)
def target(request: pytest.FixtureRequest) -> Target:
    """Every target of the architecture."""
    name: str = request.param
    return target_or_skip(name)


def fault_of(target: Target, folder: Path, *, invoke: str, before: str = "") -> str:
    """What ends the run of a model with this C text."""
    image = build_snippet(target, folder, before=f"{NOWHERE}\n{before}", invoke=invoke)
    with pytest.raises(ToolError) as caught:
        run_image(target, image, b"a", timeout_s=60.0, cache=CACHE)
    return str(caught.value)


@pytest.mark.parametrize(
    ("invoke", "fault"),
    [
        ("((void (*)(void))0)();", "instruction access fault"),
        ("bad_value = *(volatile int8_t *)NOWHERE;", "load access fault"),
        ("*(volatile int8_t *)NOWHERE = 1;", "store access fault"),
        ('__asm__ volatile("ebreak");', "breakpoint"),
        ('__asm__ volatile("unimp");', "illegal instruction"),
        ('__asm__ volatile("ecall");', "unexpected exception"),
    ],
)
def test_a_trap_has_a_name(target: Target, tmp_path: Path, invoke: str, fault: str) -> None:
    assert f": error: fault: {fault} at 0x" in fault_of(target, tmp_path, invoke=invoke)


def test_code_is_not_written_to(target: Target, tmp_path: Path) -> None:
    """The machine could: its code lies in RAM."""
    invoke = "*(volatile uint32_t *)(uintptr_t)&bad_invoke = 0;"
    message = fault_of(target, tmp_path, invoke=invoke)
    assert ": error: fault: store access fault at 0x" in message


LEFT, RIGHT = 1_000_000_007_000_009, 30_000_000_011


@pytest.mark.parametrize(
    ("type_name", "operator", "result"),
    [
        ("int64_t", "/", LEFT // RIGHT),
        ("uint64_t", "/", LEFT // RIGHT),
        ("int64_t", "%", LEFT % RIGHT),
        ("uint64_t", "%", LEFT % RIGHT),
        ("double", "-", LEFT - RIGHT),
    ],
)
def test_the_bound_holds_in_libgcc(
    target: Target, tmp_path: Path, type_name: str, operator: str, result: int
) -> None:
    """Of its functions there are no .su files."""
    image = build_snippet(
        target,
        tmp_path,
        before=f"static volatile {type_name} bad_left = {LEFT}, bad_right = {RIGHT};",
        invoke=f"bad_value = (int8_t)(int64_t)(bad_left {operator} bad_right);",
    )
    run = run_image(target, image, b"a", timeout_s=60.0, cache=CACHE)
    assert run.output == bytes([result & 0xFF])
    bound = measure_image(target, image).invoke_stack_bytes
    assert run.stack_bytes is not None
    assert bound is not None
    assert run.stack_bytes <= bound <= run.stack_bytes + 24
