"""Sizes, the worst-case stack and its limits, and firmware that does not fit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.available import available_targets
from tests.support.hand_written import build_pair, build_snippet, target_or_skip
from tinyml_rules.errors import DoesNotFitError, ToolError
from tinyml_rules.firmware.disassembly import Flow, read_disassembly
from tinyml_rules.firmware.image import Image
from tinyml_rules.firmware.measure import check_fits, measure_image
from tinyml_rules.system.process import run_tool
from tinyml_rules.target.target import Target, load_target

EMBEDDED = [name for name in available_targets() if load_target(name).architecture != "host"]
VECTOR_COUNTS = {"atmega328": 26, "atmega1284p": 35, "atmega2560": 57}


@pytest.fixture(params=EMBEDDED)
def target(request: pytest.FixtureRequest) -> Target:
    """Every target with a memory of its own."""
    name: str = request.param
    return target_or_skip(name)


def test_sizes(target: Target, tmp_path: Path) -> None:
    size = measure_image(target, build_pair(target, tmp_path, kind="minimal"))
    bare = build_snippet(target, tmp_path / "bare", invoke="", kind="minimal")
    bare_size = measure_image(target, bare)
    assert 64 < size.flash_bytes - bare_size.flash_bytes < 2000
    # 25 bytes of arena, 4 of .data, 1 of .bss, and the sinks of main; rounded up, to 16 at most.
    assert 32 <= size.static_ram_bytes <= 64
    assert size.stack_bytes is not None
    assert size.invoke_stack_bytes is not None
    assert size.stack_bytes >= size.invoke_stack_bytes
    assert size.ram_bytes == size.static_ram_bytes + size.stack_bytes
    named = {each.symbol: each for each in size.largest}
    assert named["pair_weights"].bytes == 64
    assert named["pair_weights"].region == "flash"
    assert named["pair_arena"].region == "ram"


def test_sizes_of_the_host_are_those_of_the_model(tmp_path: Path) -> None:
    host = target_or_skip("host")
    size = measure_image(host, build_pair(host, tmp_path, kind="minimal"))
    assert 64 < size.flash_bytes < 1500
    assert size.static_ram_bytes == 25 + 4 + 1
    assert size.stack_bytes is None
    check_fits(host, size, where="pair")


@pytest.mark.parametrize("kind", ["minimal", "test"])
def test_two_builds_are_equal(target: Target, tmp_path: Path, kind: str) -> None:
    def build(folder: Path) -> Image:
        return build_pair(target, folder, kind="minimal" if kind == "minimal" else "test")

    one, two = (build(tmp_path / name).elf.read_bytes() for name in ("one", "two"))
    assert one == two
    assert str(tmp_path).encode() not in one


def test_recursion_has_no_bound(target: Target, tmp_path: Path) -> None:
    message = _stack_error(
        target,
        tmp_path,
        before="""
        void bad_again(int8_t n);
        void bad_again(int8_t n) {
            if (n > 0) { bad_again((int8_t)(n - 1)); bad_value++; bad_again((int8_t)(n - 2)); }
        }""",
        invoke="bad_again(bad_value);",
    )
    assert "error: recursion, so the stack has no bound: " in message
    # GCC may have split the function: the piece calls itself, under a name of its own.
    assert re.search(r"bad_again\S* -> bad_again\S*$", message)


def test_a_jump_across_a_long_function_is_no_recursion(target: Target, tmp_path: Path) -> None:
    """Where a jump does not reach as far, as on ARMv6-M, GCC writes the instruction of a call."""
    long = 1500 * "nop\\n"
    image = build_snippet(
        target,
        tmp_path,
        before="volatile int8_t bad_count;",
        invoke=f'while (bad_count) {{ bad_count--; __asm__ volatile("{long}"); }} bad_value++;',
    )
    bound = measure_image(target, image).invoke_stack_bytes
    assert bound is not None
    assert bound <= 48  # two windows of registers on Xtensa


def test_an_indirect_call_has_no_bound(target: Target, tmp_path: Path) -> None:
    message = _stack_error(
        target,
        tmp_path,
        before="void (*volatile bad_pointer)(void);",
        invoke="bad_pointer(); bad_value++;",
    )
    assert "error: indirect call in bad_invoke, so the stack has no bound: " in message


def test_an_array_without_fixed_size_has_no_bound(target: Target, tmp_path: Path) -> None:
    message = _stack_error(
        target,
        tmp_path,
        invoke="volatile int8_t room[bad_value + 1]; room[bad_value] = 1; bad_value = room[0];",
    )
    assert message == "bad: error: the stack frame of bad_invoke has no bound"


def test_local_arrays_and_calls_add_up(target: Target, tmp_path: Path) -> None:
    image = build_snippet(
        target,
        tmp_path,
        before="""
        static __attribute__((noinline)) void bad_inner(int8_t n) {
            volatile int8_t room[100];
            room[n] = n; bad_value = room[5];
        }
        static __attribute__((noinline)) void bad_outer(int8_t n) {
            volatile int8_t room[200];
            room[n] = n; bad_inner(n); bad_value = room[6];
        }""",
        invoke="bad_outer(bad_value); bad_value++;",
    )
    stack_bytes = measure_image(target, image).invoke_stack_bytes
    assert stack_bytes is not None
    assert 300 < stack_bytes < 450


def test_too_much_flash(target: Target, tmp_path: Path) -> None:
    assert target.memory
    count = target.memory.flash.bytes
    parts = range(16)  # AVR allows no object of more than 32767 bytes
    size = count // len(parts)
    terms = " + ".join(f"bad_{part}[(uint8_t)bad_value]" for part in parts)
    message = _does_not_fit(
        target,
        tmp_path,
        before="\n".join(
            f"static const BAD_FLASH int8_t bad_{part}[{size}] = {{{part + 1}}};" for part in parts
        ),
        invoke=f"bad_value = (int8_t)({terms});",
    )
    what, largest = message.split("; ")
    assert what.startswith("bad: error: needs ")
    assert what.endswith(f" bytes of flash, target '{target.name}' has {count:,}")
    assert largest.startswith(f"largest: bad_0 with {size:,} bytes, bad_1 with {size:,}")


def test_too_many_variables(target: Target, tmp_path: Path) -> None:
    assert target.memory
    count = target.memory.ram.bytes
    message = _does_not_fit(
        target,
        tmp_path,
        before=f"static volatile int8_t bad_room[{count}];",
        invoke="bad_value = bad_room[(uint8_t)bad_value];",
    )
    assert " bytes of RAM (variables " in message
    assert f"; largest: bad_room with {count:,} bytes" in message


def test_the_stack_counts_as_ram(target: Target, tmp_path: Path) -> None:
    """The linker is content with what leaves no room for the stack; we are not."""
    assert target.memory
    count = target.memory.ram.bytes - 24
    image = build_snippet(
        target,
        tmp_path,
        before=f"static volatile int8_t bad_room[{count}];",
        invoke="volatile int8_t local[40]; local[9] = 0; bad_value = bad_room[local[9]];",
        kind="minimal",
    )
    with pytest.raises(DoesNotFitError) as caught:
        check_fits(target, measure_image(target, image), where="bad")
    assert f"target '{target.name}' has {target.memory.ram.bytes:,}" in str(caught.value)


@pytest.mark.parametrize(("name", "count"), VECTOR_COUNTS.items())
def test_every_interrupt_vector_has_its_place(tmp_path: Path, name: str, count: int) -> None:
    """Linker relaxation must not move the vectors."""
    target = target_or_skip(name)
    image = build_pair(target, tmp_path, kind="minimal")
    objdump = [target.toolchain.program("objdump"), "-d", "-w", "--no-show-raw-insn"]
    text = run_tool([*objdump, str(image.elf)], where="test")
    code = read_disassembly(text, architecture="avr")
    for number in range(count):
        effect = code.instructions[4 * number].effect
        assert effect.flow is Flow.JUMP
        assert effect.target is not None
        expected = "tinyml_unexpected_interrupt" if number else "tinyml_reset"
        assert expected in code.symbols[effect.target]


def _stack_error(target: Target, folder: Path, *, invoke: str, before: str = "") -> str:
    image = build_snippet(target, folder, invoke=invoke, before=before, kind="minimal")
    with pytest.raises(ToolError) as caught:
        measure_image(target, image)
    return str(caught.value)


def _does_not_fit(target: Target, folder: Path, *, invoke: str, before: str) -> str:
    with pytest.raises(DoesNotFitError) as caught:
        build_snippet(target, folder, invoke=invoke, before=before, kind="minimal")
    assert not list(folder.glob("*.elf")), "nobody may take it for a firmware"
    return str(caught.value)
