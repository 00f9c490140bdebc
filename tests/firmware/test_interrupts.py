"""What interrupt handlers add to the stack: which there are, how they nest, and the measure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.firmware.interrupt_programs import (
    ARM,
    ARM_INVOKE,
    ARM_TABLE,
    AVR,
    AVR_INVOKE,
    FILL,
    RISCV,
    RISCV_INVOKE,
    RISCV_TWO,
    RISCV_TWO_INVOKE,
    XTENSA,
    XTENSA_CALL0,
    XTENSA_INVOKE,
    XTENSA_WINDOWED,
)
from tests.support.hand_written import CACHE, build_snippet, target_or_skip
from tinyml_rules.errors import UsageError
from tinyml_rules.firmware.image import Image, Kind
from tinyml_rules.firmware.interrupts import StackBound
from tinyml_rules.firmware.measure import measure_image
from tinyml_rules.firmware.stack import read_frames, worst_stack
from tinyml_rules.ir.buffers import aligned
from tinyml_rules.runners import run_image
from tinyml_rules.target.target import Target

NESTS_ONCE = {"bad_software": 1}
FIRST_OF_TIMER = {"atmega328": 14, "atmega1284p": 16, "atmega2560": 21}
"""The number of TIMER0_COMPA; that of COMPB is the next.  The last pushes three bytes for a
return."""
NESTS, IN_TURN = ("ISR_NOBLOCK", "bad_seen != 3"), ("ISR_BLOCK", "0")


def bound_of(image: Image, target: Target, nesting: Mapping[str, int] | None = None) -> StackBound:
    """The bound of a program of somebody's own."""
    return worst_stack(
        target, image.elf, image.stack_usage_files, where="bad", nesting=nesting or {}
    )


def built(
    target: Target, folder: Path, *, before: str, invoke: str = "", kind: Kind = "minimal"
) -> Image:
    """An image whose code begins with the function that fills memory."""
    return build_snippet(target, folder, before=FILL + before, invoke=invoke, kind=kind)


def measured(target: Target, image: Image) -> int:
    """How deep one call went on the emulator."""
    stack_bytes = run_image(target, image, b"\0", timeout_s=60.0, cache=CACHE).stack_bytes
    assert stack_bytes is not None
    return stack_bytes


@pytest.mark.parametrize(
    ("name", "frame_bytes"),
    {
        **{"nrf51": 32, "lm3s6965": 32, "mps2_an505": 32},
        **{"nrf52840": 104, "atsamv71": 104, "mps3_an547": 104},
    }.items(),
)
def test_three_exceptions_on_one_another(name: str, frame_bytes: int, tmp_path: Path) -> None:
    """Each with a higher priority, with the registers that the core itself pushes for each: of the
    FPU too, which most of them use."""
    target = target_or_skip(name)
    image = built(target, tmp_path, before=ARM + ARM_TABLE, invoke=ARM_INVOKE, kind="test")
    size = measure_image(target, image)
    assert size.stack is not None
    assert size.invoke_stack_bytes is not None
    assert size.stack.frame_bytes == frame_bytes
    handlers = ["bad_high", "bad_low", "bad_highest"]
    assert [each.name for each in size.stack.interrupts] == handlers
    added = sum(each.bytes for each in size.stack.interrupts)
    assert added > 500 + 3 * frame_bytes
    assert size.stack.bytes == aligned(size.stack.main_bytes, 8) + added
    assert measured(target, image) == aligned(size.invoke_stack_bytes, 8) + added


def test_a_trap_of_risc_v(tmp_path: Path) -> None:
    target = target_or_skip("riscv32imc")
    image = built(target, tmp_path, before=RISCV, invoke=RISCV_INVOKE, kind="test")
    size = measure_image(target, image)
    assert size.stack is not None
    assert size.invoke_stack_bytes is not None
    (trap,) = size.stack.interrupts
    assert (trap.name, trap.times) == ("bad_trap", 1)
    assert measured(target, image) == size.invoke_stack_bytes + trap.bytes


@pytest.mark.parametrize("name", ["riscv32imc", "riscv32imcb"])
def test_interrupts_of_risc_v_one_on_the_other(name: str, tmp_path: Path) -> None:
    """That of the timer comes while that of software lets interrupts in, through a table."""
    target = target_or_skip(name)
    image = built(target, tmp_path, before=RISCV_TWO, invoke=RISCV_TWO_INVOKE, kind="test")
    found = {each.name: each.bytes for each in bound_of(image, target, NESTS_ONCE).interrupts}
    assert found.pop("tinyml_fault"), "the test port's, where an exception of no table goes"
    assert set(found) == {"bad_software", "bad_timer"}
    invoke_bytes = read_frames(image.stack_usage_files, where="bad")["bad_invoke"]
    assert measured(target, image) == invoke_bytes + sum(found.values())


@pytest.mark.parametrize(("name", "number"), FIRST_OF_TIMER.items())
def test_interrupts_of_avr_one_on_the_other(name: str, number: int, tmp_path: Path) -> None:
    """One lets interrupts in, its own not; the other comes while it waits for it."""
    target = target_or_skip(name)
    first, second = f"__vector_{number}", f"__vector_{number + 1}"
    image = built(target, tmp_path, before=AVR % NESTS, invoke=AVR_INVOKE, kind="test")
    with pytest.raises(UsageError) as caught:
        bound_of(image, target)
    assert str(caught.value) == (
        f"bad: error: interrupt handler {first} enables interrupts, so it can interrupt itself "
        "and the stack has no bound\n  hint: keep interrupts off in it, or state how deep it can "
        f"nest: TINYML_NESTING={{'{first}': 1}}"
    )
    found = bound_of(image, target, {first: 1})
    assert {each.name for each in found.interrupts} == {first, second}
    added = found.bytes - found.main_bytes
    assert bound_of(image, target, {first: 3}).bytes == found.bytes + 2 * next(
        each.bytes for each in found.interrupts if each.name == first
    )
    bound = read_frames(image.stack_usage_files, where="bad")["bad_invoke"] + added
    assert measured(target, image) == bound


def test_interrupts_of_avr_in_turn(tmp_path: Path) -> None:
    """Of those that leave interrupts off only the deepest counts: none interrupts another."""
    target = target_or_skip("atmega328")
    image = built(target, tmp_path, before=AVR % IN_TURN, invoke=AVR_INVOKE, kind="test")
    size = measure_image(target, image)
    assert size.stack is not None
    assert size.invoke_stack_bytes is not None
    (deepest,) = size.stack.interrupts
    assert deepest.name == "__vector_15"
    bound = size.invoke_stack_bytes + deepest.bytes
    assert measured(target, image) == bound


@pytest.mark.parametrize(
    ("name", "handler"), [("esp8266", XTENSA_CALL0), ("xtensa_lx6", XTENSA_WINDOWED)]
)
def test_interrupts_of_xtensa_one_on_the_other(name: str, handler: str, tmp_path: Path) -> None:
    """A program's own handler in a test image, in which an interrupt comes while one is at work."""
    target = target_or_skip(name)
    image = built(target, tmp_path, before=XTENSA + handler, invoke=XTENSA_INVOKE, kind="test")
    with pytest.raises(UsageError, match="handler tinyml_fault enables interrupts"):
        bound_of(image, target)
    (found,) = bound_of(image, target, {"tinyml_fault": 2}).interrupts
    assert (found.name, found.times) == ("tinyml_fault", 2)
    invoke_bytes = read_frames(image.stack_usage_files, where="bad")["bad_invoke"]
    bound = invoke_bytes + 2 * found.bytes
    deepest = measured(target, image)
    assert deepest <= bound <= 1.06 * deepest


def names_and_times(bound: StackBound) -> dict[str, int]:
    """How often each handler counts."""
    return {each.name: each.times for each in bound.interrupts}


ENDLESS = """
void bad_default(void);
void bad_default(void) { for (;;) { } }
"""
VENDOR = """
__asm__(".section .isr_vector, \\"a\\", %progbits\\n"
        ".balign 128\\n"
        ".global g_pfnVectors\\n"
        ".type g_pfnVectors, %object\\n"
        "g_pfnVectors: .word __stack_top, tinyml_reset, bad_default, bad_default, bad_low\\n"
        "   .word bad_high, bad_high, bad_high\\n"
        ".size g_pfnVectors, . - g_pfnVectors\\n.text\\n");
extern const uint32_t g_pfnVectors[];
"""
IN_ORDER = "*(volatile uint32_t *)0xe000ed08 = (uint32_t)g_pfnVectors;"


def test_a_table_of_a_vendors_startup_file(tmp_path: Path) -> None:
    """Each vector is an exception that may be active with the others; one that does not return
    ends the program.  The second word is no handler: there a program begins."""
    target = target_or_skip("nrf52840")
    image = built(target, tmp_path, before=ARM + ENDLESS + VENDOR, invoke=IN_ORDER)
    bound = bound_of(image, target)
    assert names_and_times(bound) == {"bad_high": 3, "bad_low": 1, "bad_default": 1}
    assert bound.bytes == bound.main_bytes + sum(
        each.bytes * each.times for each in bound.interrupts
    )
    assert bound.notes == ()


def test_few_priorities(tmp_path: Path) -> None:
    """ARMv6-M has four, beside those of NMI and HardFault: of eight vectors six count."""
    target = target_or_skip("nrf51")
    slots = ", ".join(["bad_low"] * 4 + ["bad_high"] * 4)
    table = f"void (*const bad_table[8])(void) = {{ {slots} }};"
    image = built(target, tmp_path, before=ARM + table, invoke="bad_seen = bad_table[0] != 0;")
    assert names_and_times(bound_of(image, target)) == {}, "the table is not in the image"
    store = "*(volatile uint32_t *)0xe000ed08 = (uint32_t)bad_table;"
    image = built(target, tmp_path / "used", before=ARM + table, invoke=store)
    assert names_and_times(bound_of(image, target)) == {"bad_high": 4, "bad_low": 2}


AT_RUN_TIME = """
static void (*volatile bad_table[64])(void);
"""
IN_RAM = r"""
    bad_table[15] = bad_high;
    void (*low)(void);
    __asm__("movw %0, #:lower16:bad_low\n\tmovt %0, #:upper16:bad_low" : "=r"(low));
    bad_table[14] = low;
    *(volatile uint32_t *)0xe000ed08 = (uint32_t)bad_table;
"""


def test_a_table_made_at_run_time(tmp_path: Path) -> None:
    """An address is a constant of the code, or two halves of one; that the table may hold others,
    from outside of the image, is told."""
    target = target_or_skip("nrf52840")
    image = built(target, tmp_path, before=ARM + AT_RUN_TIME, invoke=IN_RAM)
    bound = bound_of(image, target)
    assert names_and_times(bound) == {"bad_high": 1, "bad_low": 1}
    assert bound.notes == (
        "it moves the vector table as it runs: handlers outside of this image do not count",
    )
    assert names_and_times(bound_of(image, target, {"bad_low": 4}))["bad_low"] == 4


def test_threads_are_told(tmp_path: Path) -> None:
    target = target_or_skip("lm3s6965")
    image = built(target, tmp_path, before="", invoke='__asm__ volatile("msr psp, r0");')
    assert bound_of(image, target).notes == (
        "it has a second stack pointer: stacks of threads do not count",
    )


def test_a_name_that_no_handler_has(tmp_path: Path) -> None:
    target = target_or_skip("nrf52840")
    image = built(target, tmp_path, before=ARM + ARM_TABLE, invoke=ARM_INVOKE)
    with pytest.raises(UsageError) as caught:
        bound_of(image, target, {"bad_hgih": 1})
    assert str(caught.value) == (
        "bad: error: no interrupt handler is called 'bad_hgih'\n  hint: did you mean 'bad_high'?"
    )


RISCV_TABLE = r"""
void bad_one(void) __attribute__((interrupt));
void bad_two(void) __attribute__((interrupt));
void bad_one(void) { volatile int8_t room[200]; bad_fill(room, 200); bad_seen = room[3]; }
void bad_two(void) { volatile int8_t room[300]; bad_fill(room, 300); bad_seen = room[3]; }
__asm__(".text\n.balign 256\n.global bad_vectors\nbad_vectors: j bad_one\n   j bad_two\n");
extern const char bad_vectors[];
"""
RISCV_NESTS = r"""
void bad_trap(void) __attribute__((interrupt));
void bad_trap(void) {
    __asm__ volatile(".option push\n\t.option arch, +zicsr\n\tcsrsi mstatus, 8\n\t.option pop");
    bad_seen++;
}
"""
SET_TRAP = r"""
    __asm__ volatile(".option push\n\t.option arch, +zicsr\n\tcsrw mtvec, %%0\n\t.option pop"
                     : : "r"(%s));
"""


def test_a_table_of_jumps_of_risc_v(tmp_path: Path) -> None:
    """Vectored mode: the processor enters each of the jumps."""
    target = target_or_skip("riscv32imc")
    image = built(target, tmp_path, before=RISCV_TABLE, invoke=SET_TRAP % "bad_vectors + 1")
    assert {"bad_one", "bad_two"} <= set(names_and_times(bound_of(image, target)))


def test_a_trap_that_lets_interrupts_in(tmp_path: Path) -> None:
    target = target_or_skip("riscv32imc")
    image = built(target, tmp_path, before=RISCV_NESTS, invoke=SET_TRAP % "bad_trap")
    with pytest.raises(UsageError, match="handler bad_trap enables interrupts"):
        bound_of(image, target)
    assert names_and_times(bound_of(image, target, {"bad_trap": 2})) == {"bad_trap": 2}


def test_a_fault_handler_on_xtensa(tmp_path: Path) -> None:
    """Every vector leads there, and a program may have its own."""
    target = target_or_skip("esp8266")
    body = "{ volatile int8_t room[80]; bad_fill(room, 80); }"
    own = f"void tinyml_fault(void); void tinyml_fault(void) {body}"
    assert names_and_times(bound_of(built(target, tmp_path / "0", before=""), target)) == {}
    image = built(target, tmp_path / "1", before=own, invoke="bad_seen++;")
    (fault,) = bound_of(image, target).interrupts
    assert fault.name == "tinyml_fault"
    assert fault.bytes >= 80
