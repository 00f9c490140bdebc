"""Firmware that other build systems linked: what of it is RAM, in the layouts that they use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.hand_written import target_or_skip
from tinyml_rules.cli import main
from tinyml_rules.firmware.ram import ram_use
from tinyml_rules.system.process import run_tool


@dataclass(frozen=True)
class Layout:
    """A linker script with the sections and regions of a vendor's, in words of our own."""

    target: str
    flags: tuple[str, ...]
    memory: str
    sections: str
    source: str
    ram_bytes: int
    reserved: Mapping[str, int] = field(default_factory=dict)
    elsewhere: Mapping[str, int] = field(default_factory=dict)


PICO = Layout(
    "rp2040",
    ("-mcpu=cortex-m0plus", "-mthumb"),
    """FLASH(rx) : ORIGIN = 0x10000000, LENGTH = 2048k
    RAM(rwx) : ORIGIN = 0x20000000, LENGTH = 256k
    SCRATCH_X(rwx) : ORIGIN = 0x20040000, LENGTH = 4k
    SCRATCH_Y(rwx) : ORIGIN = 0x20041000, LENGTH = 4k""",
    """.flash_begin : { begin_of_flash = .; } > FLASH
    .boot2 : { KEEP(*(.boot2)) } > FLASH
    .text : { *(.vectors) *(.text*) } > FLASH
    .rodata : { *(.rodata*) } > FLASH
    .binary_info : { KEEP(*(.binary_info*)) } > FLASH
    .ram_vector_table (NOLOAD) : { *(.ram_vector_table) } > RAM
    .uninitialized_data (NOLOAD) : { *(.uninitialized_data*) } > RAM
    .data : { *(.time_critical*) *(.data*) } > RAM AT > FLASH
    .tbss (NOLOAD) : { *(.tbss*) } > RAM
    .bss (NOLOAD) : { *(.bss*) *(COMMON) } > RAM
    .heap (NOLOAD) : { KEEP(*(.heap*)) } > RAM
    .scratch_x : { *(.scratch_x*) } > SCRATCH_X AT > FLASH
    .scratch_y : { *(.scratch_y*) } > SCRATCH_Y AT > FLASH
    .stack1_dummy (NOLOAD) : { *(.stack1*) } > SCRATCH_X
    .stack_dummy (NOLOAD) : { KEEP(*(.stack*)) } > SCRATCH_Y
    .flash_end : { end_of_flash = .; } > FLASH""",
    """
    __asm__(".section .boot2, \\"ax\\"\\n .space 256\\n"
            ".section .ram_vector_table, \\"aw\\", %nobits\\n .space 192\\n"
            ".section .heap, \\"aw\\", %nobits\\n .space 2048\\n"
            ".section .stack, \\"aw\\", %nobits\\n .space 2048\\n .text");
    _Thread_local int of_a_thread[16];
    int value[96] = {1};
    int other[257];
    __attribute__((section(".scratch_x.a"))) int near[3] = {1};
    __attribute__((section(".time_critical.f"), noinline)) int fast(int x)
    { __asm__ volatile (".rept 30\\n nop\\n .endr"); return x; }
    int main(void) { of_a_thread[0] = near[0]; return fast(value[1] + other[2]); }
    void *__aeabi_read_tp(void) { return other; }""",
    ram_bytes=192 + 384 + 64 + 1_028 + 12,
    reserved={".heap": 2_048, ".stack_dummy": 2_048},
)
CUBE = Layout(
    "stm32f405",
    ("-mcpu=cortex-m4", "-mthumb"),
    """CCMRAM (xrw) : ORIGIN = 0x10000000, LENGTH = 64K
    RAM (xrw) : ORIGIN = 0x20000000, LENGTH = 128K
    FLASH (rx) : ORIGIN = 0x8000000, LENGTH = 1024K""",
    """.isr_vector : { KEEP(*(.isr_vector)) } > FLASH
    .text : { *(.text*) } > FLASH
    .rodata : { *(.rodata*) } > FLASH
    .data : { *(.data*) } > RAM AT > FLASH
    .ccmram : { . = ALIGN(4); *(.ccmram*) . = ALIGN(4); } > CCMRAM AT > FLASH
    . = ALIGN(4);
    .bss : { *(.bss*) *(COMMON) . = ALIGN(4); } > RAM
    ._user_heap_stack : { . = ALIGN(8); . = . + 0x200; . = . + 0x400; . = ALIGN(8); } > RAM""",
    """
    __attribute__((section(".isr_vector"))) const int vectors[16] = {1};
    int value[3] = {1};
    int other[9];
    __attribute__((section(".ccmram"))) int bank[1000] = {1};
    int main(void) { return value[1] + other[2] + bank[3] + vectors[4]; }""",
    ram_bytes=12 + 36,
    reserved={"._user_heap_stack": 1_536},
    elsewhere={".ccmram": 4_000},
)
ZEPHYR = Layout(
    "nrf52840",
    ("-mcpu=cortex-m4", "-mthumb"),
    """FLASH (rx) : ORIGIN = 0, LENGTH = 1024K
    RAM (wx) : ORIGIN = 0x20000000, LENGTH = 256K
    IDT_LIST (wx) : ORIGIN = 0xFFFF7FFF, LENGTH = 32K""",
    """rom_start : { KEEP(*(.exc_vector_table*)) } > FLASH
    text : { *(.text*) } > FLASH
    initlevel : { KEEP(*(.z_init*)) } > FLASH
    rodata : { *(.rodata*) } > FLASH
    . = 0x20000000;
    app_smem : { *(.app_smem*) . = ALIGN(256); } > RAM AT > FLASH
    datas : { *(.data*) } > RAM AT > FLASH
    _k_mutex_list : { KEEP(*(._k_mutex.static*)) } > RAM AT > FLASH
    bss (NOLOAD) : { *(.bss*) *(COMMON) } > RAM
    noinit (NOLOAD) : { *(.noinit*) } > RAM
    .last_section : { LONG(0x5a5a5a5a) } > FLASH""",
    """
    __attribute__((section(".exc_vector_table"))) const int vectors[16] = {1};
    __attribute__((section(".app_smem.a"))) int shared[10] = {1};
    __attribute__((section("._k_mutex.static.a"))) int mutex[5] = {1};
    __attribute__((section(".noinit.a"), aligned(8))) char z_main_stack[1024];
    int value[3] = {1};
    int other[10];
    int main(void)
    { return value[1] + other[2] + shared[3] + mutex[4] + vectors[5] + z_main_stack[6]; }""",
    ram_bytes=256 + 12 + 20 + 40 + 1_024,
)
LAYOUTS = {"pico": PICO, "cube": CUBE, "zephyr": ZEPHYR}


def linked(layout: Layout, folder: Path) -> Path:
    """A firmware as its own build links it."""
    chain = target_or_skip(layout.target).toolchain
    source, script, elf = folder / "main.c", folder / "link.ld", folder / "firmware.elf"
    source.write_text(layout.source, encoding="utf-8")
    script.write_text(
        f"MEMORY {{ {layout.memory} }}\nENTRY(main)\n"
        f"SECTIONS {{ {layout.sections}\n /DISCARD/ : {{ *(.ARM.*) }} }}\n",
        encoding="utf-8",
    )
    options = ["-O1", "-nostdlib", f"-Wl,-T,{script}", "-Wl,-z,max-page-size=4096"]
    run_tool(
        [chain.program("gcc"), *layout.flags, *options, "-o", str(elf), str(source)], where="test"
    )
    return elf


@pytest.mark.parametrize("name", LAYOUTS)
def test_what_sections_take(name: str, tmp_path: Path) -> None:
    """Variables alone; what is kept for heap and stack, and what lies in another memory, apart."""
    layout = LAYOUTS[name]
    memory = target_or_skip(layout.target).memory
    assert memory
    found = ram_use(linked(layout, tmp_path), memory)
    assert found.reserved == layout.reserved
    assert found.elsewhere == layout.elsewhere
    assert (
        layout.ram_bytes <= found.variables_bytes < layout.ram_bytes + 16
    )  # with what aligns them


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pico", "1.7 kB RAM without the stack; 4.1 kB reserved for heap and stack (.heap, "),
        ("cube", "48 B RAM without the stack; 1.5 kB reserved for heap and stack (._user_heap"),
        ("cube", "stack (._user_heap_stack); 4.0 kB in .ccmram\n"),
        ("zephyr", "1.4 kB RAM without the stack\n"),
    ],
)
def test_the_line(
    name: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a person reads, which CMake's and Meson's functions print too."""
    elf = linked(LAYOUTS[name], tmp_path)
    assert main(["measure", str(elf), "--target", LAYOUTS[name].target]) == 0
    assert words in capsys.readouterr().out


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_budget_is_of_what_sections_take(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither the distance between banks nor what is only reserved exceeds it."""
    layout = LAYOUTS[name]
    words = ["measure", str(linked(layout, tmp_path)), "--target", layout.target, "--max-ram"]
    assert main([*words, str(layout.ram_bytes + 16)]) == 0
    assert main([*words, str(layout.ram_bytes - 1)]) != 0
    assert " bytes of RAM" in capsys.readouterr().err
