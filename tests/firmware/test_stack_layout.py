"""The stack lies below the variables: one that overflows leaves RAM and changes none of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.support.available import available_targets
from tests.support.hand_written import CACHE, build_pair, build_snippet, target_or_skip
from tinyml_rules.errors import ToolError
from tinyml_rules.firmware.image import Kind
from tinyml_rules.firmware.measure import measure_image
from tinyml_rules.firmware.support import link_memory
from tinyml_rules.runners import RunResult, run_image
from tinyml_rules.target.target import Target, load_target

EMBEDDED = [name for name in available_targets() if load_target(name).architecture != "host"]
SILENT = {"atsamv71", "esp8266", "lm3s6965", "nrf52840"}
"""Machines of QEMU that take a store outside of the part's memories for done."""


@pytest.fixture(params=EMBEDDED)
def target(request: pytest.FixtureRequest) -> Target:
    """Every target with a memory of its own."""
    name: str = request.param
    return target_or_skip(name)


@pytest.mark.parametrize("kind", ["minimal", "test"])
def test_the_stack_begins_below_the_variables(target: Target, tmp_path: Path, kind: Kind) -> None:
    image = build_pair(target, tmp_path, kind=kind)
    memory = link_memory(target, kind)
    assert memory
    with image.elf.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        bottom, top, data, end = (
            (table.get_symbol_by_name(name) or [])[0]["st_value"]
            for name in ("__stack_bottom", "__stack_top", "__data_start", "__bss_end")
        )
    assert bottom == memory.ram.origin
    assert top == data - (target.architecture == "avr")  # where push stores before it moves
    assert 0 <= memory.ram.origin + memory.ram.bytes - end < 8  # as the variables are aligned


def test_what_variables_leave_is_the_stacks(target: Target, tmp_path: Path) -> None:
    """The size that is compared with the RAM counts what their alignment takes at its end too."""
    image = build_snippet(
        target,
        tmp_path,
        before="static volatile int8_t bad_room[9] __attribute__((aligned(8)));",
        invoke="bad_value = bad_room[(uint8_t)bad_value & 7];",
        kind="minimal",
    )
    assert target.memory
    with image.elf.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        (top,) = table.get_symbol_by_name("__stack_top") or []
    room = top["st_value"] + (target.architecture == "avr") - target.memory.ram.origin
    size = measure_image(target, image)
    assert room == target.memory.ram.bytes - size.static_ram_bytes


def overflow(target: Target, folder: Path) -> RunResult:
    """Run a model that writes to a local array of which some bytes have no room in RAM."""
    assert target.test_memory
    image = build_snippet(
        target,
        folder,
        before="""
        volatile int8_t bad_guard[64];
        void bad_fill(volatile int8_t *place);
        __attribute__((noinline)) void bad_fill(volatile int8_t *place) { place[0] = 1; }""",
        invoke=f"""
        volatile int8_t local[{target.test_memory.ram.bytes} - 64];
        bad_fill(local);
        for (int i = 0; i < 64; i++) {{ bad_value |= bad_guard[i]; }}""",
    )
    return run_image(target, image, b"\0", timeout_s=60.0, cache=CACHE)


def test_a_stack_overflow_is_named(target: Target, tmp_path: Path) -> None:
    if target.name in SILENT:
        assert overflow(target, tmp_path).output == b"\0", "the variables are as they were"
        return
    with pytest.raises(ToolError) as caught:
        overflow(target, tmp_path)
    message = str(caught.value)
    assert message.startswith(f"bad on {target.name}: error: ")
    assert "stack overflow at 0x" in message
