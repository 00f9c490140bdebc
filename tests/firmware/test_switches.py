"""Switches that compilers turn into tables of jumps: where they go is read from the image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from tests.support.hand_written import CACHE, build_snippet, target_or_skip
from tinyml_rules.errors import ToolError
from tinyml_rules.firmware.calls import CallGraph
from tinyml_rules.firmware.disassembly import Code, Flow, Instruction, read_disassembly
from tinyml_rules.firmware.loaded import Loaded
from tinyml_rules.firmware.measure import measure_image
from tinyml_rules.firmware.switches import with_switches
from tinyml_rules.runners import run_image
from tinyml_rules.system.process import run_tool
from tinyml_rules.target.target import load_target


@dataclass(frozen=True)
class Compiler:
    """A compiler as its users call it, without anything of ours."""

    target: str
    flags: tuple[str, ...]


CORTEX_M0 = ("-mcpu=cortex-m0plus", "-mthumb")
CORTEX_M4 = ("-mcpu=cortex-m4", "-mthumb")
RV32 = ("-march=rv32imac", "-mabi=ilp32")
COMPILERS = {
    "thumb1-calls": Compiler("rp2040", (*CORTEX_M0, "-Os")),
    "thumb1-words": Compiler("rp2040", (*CORTEX_M0, "-O2")),
    "thumb2": Compiler("nrf52840", (*CORTEX_M4, "-O2")),
    "riscv": Compiler("riscv32imc", (*RV32, "-O2")),
    "riscv-small": Compiler("riscv32imc", (*RV32, "-Os")),
    "riscv-anywhere": Compiler("riscv32imc", (*RV32, "-O2", "-mcmodel=medany")),
}
CASES = range(3, 15)


def program(source: str, compiler: Compiler, folder: Path) -> tuple[Code, Loaded]:
    """The linked program, its switches found."""
    chain = load_target(compiler.target).toolchain
    file, elf = folder / "main.c", folder / "main.elf"
    file.write_text(source, encoding="utf-8")
    link = ["-nostdlib", "-nostartfiles", "-Wl,-e,main", "-o", str(elf), str(file), "-lgcc"]
    run_tool([chain.program("gcc"), *compiler.flags, *link], where="test")
    objdump = [chain.program("objdump"), "-f", "-d", "-w", "--no-show-raw-insn", str(elf)]
    with elf.open("rb") as opened:
        loaded = Loaded.of(ELFFile(opened))
    architecture = target_or_skip(compiler.target).architecture
    text = run_tool(objdump, where="test")
    return with_switches(
        read_disassembly(text, architecture=architecture), loaded, architecture=architecture
    ), loaded


def switches(code: Code, function: str) -> Sequence[Instruction]:
    """The instructions of a function that go to a register's address or through a table."""
    graph = CallGraph(with_reset(code), {}, where="test")
    return [
        each
        for each in graph.body(graph.address_of(function))
        if each.effect.flow in (Flow.INDIRECT, Flow.SWITCH) or each.effect.table
    ]


def with_reset(code: Code) -> Code:
    """A graph wants to know where the program begins."""
    start = min(code.instructions)
    return Code(
        code.instructions,
        {**code.symbols, start: (*code.symbols.get(start, ()), "tinyml_reset")},
        code.return_address_bytes,
        code.machine,
    )


@pytest.mark.parametrize("name", COMPILERS)
@pytest.mark.parametrize("far", [False, True], ids=["near", "far"])
def test_the_cases_of_a_switch_are_found(name: str, far: bool, tmp_path: Path) -> None:
    """As many as the source has, all different: no call that they make is missed."""
    names = [f"g{number}" for number in CASES]
    calls = "".join(
        f'__attribute__((noinline)) int {each}(int x) {{ __asm__ volatile ("nop"); return x; }}\n'
        for each in names
    )
    long = 40 * "sink = sink * 3;" if far else ""
    cases = "".join(
        f"case {number}: {long} return {each}(x) + {number * number};"
        for number, each in zip(CASES, names, strict=True)
    )
    code, _ = program(
        f"volatile int sink; {calls} int f(int x) {{ switch (x) {{ {cases} default: return 3; }} }}"
        "\nint main(void) { return f(9); }",
        COMPILERS[name],
        tmp_path,
    )
    (found,) = switches(code, "f")
    assert found.effect.flow is not Flow.INDIRECT
    assert len(found.effect.cases) == len(CASES)
    assert {first_called(code, start) for start in found.effect.cases} == set(names)


def first_called(code: Code, address: int) -> str:
    """The function that is called first from an address on."""
    while code.instructions[address].effect.flow is not Flow.CALL:
        address = code.instructions[address].next_address
    target = code.instructions[address].effect.target
    assert target is not None
    return code.symbols[target][0]


POINTERS = """
int g0(int x); int g1(int x); int g2(int x); int g3(int x);
int g0(int x) { return x; }  int g1(int x) { return -x; }
int g2(int x) { return 2 * x; } int g3(int x) { return 3 * x; }
int f(unsigned x);
"""
NO_SWITCHES = {
    "functions": "int (*const t[])(int) = {g0, g1, g2, g3};"
    "int f(unsigned x) { return x > 3 ? 7 : t[x](x); }",
    "itself": "int f0(int x); int (*const t[])(int) = {(int (*)(int))f, g1, g2, g3};"
    "int f(unsigned x) { return x > 3 ? 7 : t[x](x); }",
    "variables": "int f(unsigned x) { static void *t[] = {&&a, &&b, &&c, &&d};"
    "if (x > 3) return 7; goto *t[x]; a: return g0(1) + 5; b: return g1(2) + 6;"
    "c: return g2(3) + 7; d: t[0] = &&b; return g3(4) + 8; }",
    "no bound": "int f(unsigned x) { static void *const t[] = {&&a, &&b, &&c, &&d};"
    "goto *t[x]; a: return g0(1) + 5; b: return g1(2) + 6;"
    "c: return g2(3) + 7; d: return g3(4) + 8; }",
}


@pytest.mark.parametrize("kind", NO_SWITCHES)
@pytest.mark.parametrize("name", ["thumb1-calls", "thumb1-words", "riscv", "riscv-anywhere"])
def test_what_is_no_switch_stays_a_jump_to_anywhere(name: str, kind: str, tmp_path: Path) -> None:
    """A table of functions, one that changes, one without a known length."""
    source = f"{POINTERS} {NO_SWITCHES[kind]} int main(void) {{ return f(2); }}"
    code, _ = program(source, COMPILERS[name], tmp_path)
    assert any(each.effect.flow is Flow.INDIRECT for each in switches(code, "f"))


def test_a_table_of_constant_labels_is_a_switch(tmp_path: Path) -> None:
    """What the programs above lack: the same with a bound, in a section that nobody writes to."""
    bounded = NO_SWITCHES["no bound"].replace("goto *t", "if (x > 3) return 7; goto *t")
    code, _ = program(
        f"{POINTERS} {bounded} int main(void) {{ return f(2); }}", COMPILERS["riscv"], tmp_path
    )
    (found,) = switches(code, "f")
    assert (found.effect.flow, len(found.effect.cases)) == (Flow.SWITCH, 4)


DIVISIONS = """
typedef union { uint32_t bits; float value; } number_t;
static volatile uint32_t bad_numbers[] = {
    0x00000000u, 0x3f800000u, 0x7f800000u, 0x7fc00000u, 0x00000001u, 0xff7fffffu, 0x80012345u};
static volatile float bad_quotient;
__attribute__((noinline)) static void bad_divide(int first, int second) {
    volatile uint8_t room[64];
    room[first] = (uint8_t)second;
    number_t left = {bad_numbers[first]}, right = {bad_numbers[room[first]]};
    bad_quotient = left.value / right.value;
}
"""


@pytest.mark.parametrize("name", ["nrf51", "rp2040", "riscv32imc", "gd32vf103"])
def test_the_bound_covers_what_a_division_takes(name: str, tmp_path: Path) -> None:
    """All kinds of numbers are divided, so that all cases run; what they wrote below counts."""
    target = target_or_skip(name)
    image = build_snippet(
        target,
        tmp_path,
        before=DIVISIONS,
        invoke="""
        volatile uint8_t here;
        volatile uint8_t *volatile place = &here;
        volatile uint8_t *stack = place;
        for (int i = 40; i < 500; i++) stack[-i] = 0xA5;
        for (int i = 0; i < 49; i++) bad_divide(i / 7, i % 7);
        int deep = 499;
        while (deep >= 40 && stack[-deep] == 0xA5) deep--;
        bad_value = (int8_t)(deep / 4);""",
    )
    bound = measure_image(target, image).invoke_stack_bytes
    used = 4 * run_image(target, image, b"\0", timeout_s=60.0, cache=CACHE).output[0]
    assert bound is not None
    assert 90 <= used <= bound


def test_a_division_without_its_table_has_no_bound(tmp_path: Path) -> None:
    """A pointer in RAM, called from the same place, is refused as before."""
    target = target_or_skip("nrf51")
    image = build_snippet(
        target,
        tmp_path,
        before="void (*volatile bad_pointers[4])(void);",
        invoke="if ((uint8_t)bad_value < 4) bad_pointers[(uint8_t)bad_value](); bad_value++;",
    )
    with pytest.raises(ToolError, match="indirect call in bad_invoke"):
        measure_image(target, image)
