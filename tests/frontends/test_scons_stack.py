"""The stack of somebody else's program: below the variables, with a bound where it has one."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.frontends.builds import SINE, Done, has_worked, scons
from tests.support.hand_written import target_or_skip
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.relu.cases import relu
from tinyml_rules.target.target import load_target

SCONSTRUCT = """\
env = Environment(
    tools=["default", "tinyml"],
    toolpath=[PyPackageDir("tinyml_rules.frontends.scons")],
    TINYML_TARGET=ARGUMENTS["target"],
    TINYML_NESTING={nesting},
)
env.Program("fw", ["main.c", "sine.tflite"])
"""
MAIN = """\
#include "sine.h"
{before}
int main(void)
{{
    for (;;) {{
        sine_invoke();
        {body}
    }}
}}
"""
HANDLER = """\
volatile char seen;
void __vector_{number}(void) __attribute__((signal, used));
void __vector_{number}(void) {{
    volatile char room[{size}];
    room[1] = seen;
    seen = room[2];
}}
"""

Firmware = Callable[..., Done]


@pytest.fixture
def firmware(tmp_path: Path, installed_python: Path) -> Firmware:
    """A function that builds a program around the sine for a target."""
    shutil.copy2(SINE / "sine.tflite", tmp_path)

    def build(
        target: str, *, before: str = "", body: str = "", nesting: dict[str, int] | None = None
    ) -> Done:
        target_or_skip(target)
        (tmp_path / "SConstruct").write_text(SCONSTRUCT.replace("{nesting}", repr(nesting or {})))
        (tmp_path / "main.c").write_text(MAIN.format(before=before, body=body))
        return scons(tmp_path, f"target={target}", python=installed_python)

    return build


def symbol_values(elf_file: Path) -> dict[str, int]:
    """The symbols of an ELF file."""
    with elf_file.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        return {symbol.name: symbol["st_value"] for symbol in table.iter_symbols()}


@pytest.mark.parametrize("target", ["atmega328", "nrf52840"])
def test_it_lies_below_the_variables(target: str, firmware: Firmware, tmp_path: Path) -> None:
    done = firmware(target, before="int counter = 1;", body="counter++;")
    assert (done.returncode, done.stderr) == (0, "")
    values = symbol_values(tmp_path / "fw.elf")
    memory = load_target(target).memory
    assert memory
    assert values["__stack_bottom"] == memory.ram.origin
    assert memory.ram.origin < values["__stack_top"] <= values["counter"]
    assert values["__bss_end"] == memory.ram.origin + memory.ram.bytes
    again = firmware(target, before="int counter = 1;", body="counter++;")
    assert not has_worked(again.stdout)


def test_a_program_that_could_overflow_is_not_built(firmware: Firmware, tmp_path: Path) -> None:
    body = "volatile char room[{}]; room[1] = 2;"
    assert firmware("atmega328", body=body.format(1800)).returncode == 0
    done = firmware("atmega328", body=body.format(2044))
    what = (
        r"fw.elf: error: the stack takes up to 2,0\d\d bytes \(main 2,\d+ B\), 2,0\d\d are left "
        r"of the RAM of 'atmega328'\n"
    )
    assert re.match(what, done.stderr)
    assert "\n    atmega2560: has 262,144 bytes of flash and 8,192 of RAM\n" in done.stderr
    assert done.returncode == 2
    assert not (tmp_path / "fw.elf").exists()


TWO = """\
#include "first.h"
#include "second.h"
int main(void)
{
    volatile char room[900];
    for (;;) {
        room[1] = 2;
        first_invoke();
        second_invoke();
    }
}
"""


def test_two_models_that_do_not_fit_are_told_of_one_arena(
    tmp_path: Path, installed_python: Path
) -> None:
    """What it would take is what it takes, with which the program is built."""
    target_or_skip("atmega328")
    for name, size in (("first", 800), ("second", 500)):
        (tmp_path / f"{name}.tflite").write_bytes(build_model(relu((1, size))))
    text = SCONSTRUCT.replace("{nesting}", "{}")
    text = text.replace("sine.tflite", "first.tflite', 'second.tflite").replace("'", '"')
    setting = '    TINYML_ARENA=ARGUMENTS.get("arena", "static"),\n)'
    (tmp_path / "SConstruct").write_text(text.replace("\n)", f"\n{setting}", 1))
    (tmp_path / "main.c").write_text(TWO)
    done = scons(tmp_path, "target=atmega328", python=installed_python)
    assert done.returncode == 2
    assert done.stderr.startswith("fw.elf: error: the stack takes up to ")
    hint = "TINYML_ARENA='shared': one arena of 800 bytes for first and second, which run in turn"
    assert f"\n  hint: {hint}, instead of 1,300 bytes\n" in done.stderr
    done = scons(tmp_path, "target=atmega328", "arena=shared", python=installed_python)
    assert (done.returncode, done.stderr) == (0, "")
    with (tmp_path / "fw.elf").open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        arenas = table.get_symbol_by_name("tinyml_shared_arena") or []
    assert [arena["st_size"] for arena in arenas] == [800]


def test_interrupt_handlers_count(firmware: Firmware) -> None:
    """On top of the deepest place of the rest."""
    handlers = "".join(HANDLER.format(number=number, size=900) for number in (7,))
    body = "volatile char room[900]; room[1] = 2;"
    assert firmware("atmega328", before=handlers, body=body).returncode == 0
    handlers = HANDLER.format(number=7, size=1200)
    done = firmware("atmega328", before=handlers, body=body)
    assert "error: the stack takes up to 2" in done.stderr
    assert done.returncode == 2


SYSTICK = """
volatile char seen;
void SysTick_Handler(void);
void SysTick_Handler(void) {{
    volatile char room[{size}];
    for (int i = 0; i < (int)sizeof room; i++) room[i] = (char)i;
    seen = room[(int)seen];
}}
static void (*const table[16])(void) __attribute__((aligned(128))) = {{ [15] = SysTick_Handler }};
"""
SET_TABLE = "*(volatile uint32_t *)0xe000ed08 = (uint32_t)table;"


def test_a_systick_handler_larger_than_the_ram(firmware: Firmware, tmp_path: Path) -> None:
    """It is in a table of the program's own, which VTOR is set to."""
    done = firmware("nrf52840", before=SYSTICK.format(size=300_000), body=SET_TABLE)
    assert done.returncode == 2
    parts = r"main \d+ B, SysTick_Handler 300,032 B \(32 B of each pushed by the processor\)"
    parts += r"(, 4 B for alignment)?"
    what = (
        rf"fw.elf: error: the stack takes up to 300,\d\d\d bytes \({parts}\), [\d,]+ are left of "
        r"the RAM of 'nrf52840'\n"
    )
    assert re.match(what, done.stderr)
    assert not (tmp_path / "fw.elf").exists()


def test_what_was_counted_is_told(firmware: Firmware) -> None:
    done = firmware("nrf52840", before=SYSTICK.format(size=300), body=SET_TABLE)
    assert (done.returncode, done.stderr) == (0, "")
    line = (
        r"STACK   fw.elf: at most \d+ B; main \d+ B, SysTick_Handler 3\d\d B \(32 B of each pushed"
    )
    assert re.search(line, done.stdout)


NOBLOCK = HANDLER.replace("{{\n", '{{\n    __asm__ volatile("sei" ::: "memory");\n', 1)


def test_a_handler_that_may_interrupt_itself(firmware: Firmware, tmp_path: Path) -> None:
    """It has no bound until it is told how often it is active."""
    before = NOBLOCK.format(number=16, size=300)
    done = firmware("atmega328", before=before)
    assert done.stderr.startswith(
        "fw.elf: error: interrupt handler __vector_16 enables interrupts, so it can interrupt "
        "itself and the stack has no bound\n  hint: keep interrupts off in it, or state how deep "
        "it can nest: TINYML_NESTING={'__vector_16': 1}\n"
    )
    assert done.returncode == 2
    assert not (tmp_path / "fw.elf").exists()
    assert firmware("atmega328", before=before, nesting={"__vector_16": 2}).returncode == 0
    done = firmware("atmega328", before=before, nesting={"__vector_16": 9})
    assert " bytes (main " in done.stderr
    assert "__vector_16 9 x 3" in done.stderr
    done = firmware("atmega328", before=before, nesting={"__vector_16": 0})
    assert "TINYML_NESTING: error: found {'__vector_16': 0}, expected {handler: how" in done.stderr


def test_a_stack_without_a_bound_is_told(firmware: Firmware, tmp_path: Path) -> None:
    done = firmware("nrf52840", before="void (*volatile action)(void);", body="action();")
    assert done.returncode == 0
    assert "STACK   fw.elf: not checked: indirect call in main" in done.stdout
    assert (tmp_path / "fw.elf").exists()
