"""Only Xtensa has these: words alone in flash, calls by literals, windows, a vendor's compiler."""

from __future__ import annotations

import re
import shutil
import struct
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from requirements import tools
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
from tinyml_rules.firmware.disassembly import Flow, read_disassembly
from tinyml_rules.firmware.image import Image
from tinyml_rules.firmware.measure import check_fits, measure_image
from tinyml_rules.runners import run_image
from tinyml_rules.target.missing import require_tools
from tinyml_rules.target.target import Target, load_target

SAMPLES = bytes(range(256)) * 5


def _error_of(target: Target, image: Image) -> str:
    """The message of the ToolError in which a run ends."""
    with pytest.raises(ToolError) as caught:
        run_image(target, image, b"a", cache=CACHE)
    return str(caught.value)


@pytest.mark.parametrize(("load", "size"), [("l8ui", 1), ("l16ui", 2), ("l16si", 2)])
def test_a_load_that_the_part_traps_is_named(load: str, size: int, tmp_path: Path) -> None:
    """QEMU's LX106 would read what the chip cannot: flash answers in aligned words alone."""
    target = target_or_skip("esp8266")
    before = "static const int8_t bad_table[8] = {1, 2, 3};"
    words = 'int value; __asm__ volatile("%s %%0, %%1, %d" : "=a"(value) : "a"(bad_table));'
    store = " bad_value = (int8_t)value;"
    image = build_snippet(target, tmp_path, before=before, invoke=words % (load, 2) + store)
    message = _error_of(target, image)
    expected = (
        rf"bad on esp8266: error: fault: load of {size} bytes from 0x402\w{{5}}, "
        r"where only aligned words can be loaded, at 0x402\w{5}"
    )
    assert re.fullmatch(expected, message)
    fine = build_snippet(
        target, tmp_path / "fine", before=before, invoke=words % ("l32i", 4) + store
    )
    assert run_image(target, fine, b"a", cache=CACHE).output == b"\0"


@pytest.mark.parametrize(
    ("text", "flow", "target"),
    [
        ("  10:\tl32r\ta8, 8 <g>\n  13:\tcallx8\ta8\n", Flow.CALL, 0x40),
        ("      10:      \tl32r\ta8, 0x8\n      13:      \tcallx8\ta8\n", Flow.CALL, 0x40),
        ("  10:\tl32r\ta0, 8 <g>\n  13:\tjx\ta0\n", Flow.JUMP, 0x40),
        ("  10:\tl32r\ta8, 8 <g>\n  13:\tcallx8\ta9\n", Flow.INDIRECT, None),
        ("  10:\tl32r\ta8, c <g>\n  13:\tcallx8\ta8\n", Flow.INDIRECT, None),
        ("  10:\tl32r\ta8, 8 <g>\n  13:\tcallx8\ta8\n  16:\tj\t13 <f>\n", Flow.INDIRECT, None),
        ("  10:\tl32i\ta8, a2, 8\n  13:\tcallx8\ta8\n", Flow.INDIRECT, None),
    ],
)
def test_a_call_by_a_literal_is_known(text: str, flow: Flow, target: int | None) -> None:
    """Only where the register is sure to hold the literal."""
    code = read_disassembly(f"00000010 <f>:\n{text}", architecture="xtensa", word_at={8: 0x40}.get)
    effect = code.instructions[0x13].effect
    assert (effect.flow, effect.target) == (flow, target)


def test_register_windows_need_room_below_the_stack_pointer() -> None:
    text = "00000010 <f>:\n  10:\tentry\ta1, 48\n  13:\tretw\n"
    assert read_disassembly(text, architecture="xtensa").instructions[0x10].effect.below_bytes == 16


ARITHMETIC_HEADER = """
#include <stdint.h>
int8_t *wide_in(void);
const int8_t *wide_out(void);
void wide_invoke(void);
"""
ARITHMETIC = """
#include "wide.h"
static union { int8_t bytes[16]; int64_t values[2]; } in;
static union { int8_t bytes[72]; int64_t values[9]; } out;
int8_t *wide_in(void) { return in.bytes; }
const int8_t *wide_out(void) { return out.bytes; }
void wide_invoke(void) {
    const int64_t a = in.values[0], b = in.values[1];
    const uint64_t c = (uint64_t)a, d = (uint64_t)b;
    out.values[0] = (int32_t)a / (int32_t)b;
    out.values[1] = (int32_t)a % (int32_t)b;
    out.values[2] = (uint32_t)a / (uint32_t)b;
    out.values[3] = (uint32_t)a % (uint32_t)b;
    out.values[4] = a / b;
    out.values[5] = a % b;
    out.values[6] = (int64_t)(c / d);
    out.values[7] = (int64_t)(c % d);
    out.values[8] = (int64_t)(c * d);
}
"""


def _truncated(a: int, b: int) -> tuple[int, int]:
    """Quotient and rest as in C."""
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient, a - quotient * b


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _arithmetic(a: int, b: int) -> list[int]:
    """What ARITHMETIC gives for two int64."""
    low = (1 << 32) - 1
    full = (1 << 64) - 1
    return [
        *_truncated(_signed(a, 32), _signed(b, 32)),
        *divmod(a & low, b & low),
        *_truncated(a, b),
        *divmod(a & full, b & full),
        a * b,
    ]


@pytest.mark.parametrize("name", ["esp8266", "xtensa_lx6"])
def test_arithmetic(name: str, tmp_path: Path) -> None:
    """Division, and multiplication of 64 bits, which the compiler's library lacks: ends, powers of
    two and random numbers of every length."""
    target = target_or_skip(name)
    random = Random(1)  # noqa: S311 - not for secrets
    ends = [
        sign * (1 << bit) + more for bit in (0, 15, 31, 62) for sign in (1, -1) for more in (0, 1)
    ]
    pairs = [(a, b) for a in (*ends, 0, -(1 << 63), (1 << 63) - 1) for b in ends]
    pairs += [
        (
            _signed(random.getrandbits(64), random.randint(2, 64)),
            _signed(random.getrandbits(64), random.randint(2, 64)),
        )
        for _ in range(1000)
    ]
    # a division by zero, and one that overflows, mean nothing in C
    pairs = [(a, b) for a, b in pairs if _signed(b, 32) not in (0, -1) and b != -1]
    image = build_image(
        target,
        sources={"wide.h": ARITHMETIC_HEADER, "wide.c": ARITHMETIC},
        interface=interface("wide", {"wide_in": 16}, {"wide_out": 72}),
        kind="test",
        folder=tmp_path,
    )
    samples = b"".join(struct.pack("<2q", a, b) for a, b in pairs)
    output = run_image(target, image, samples, cache=CACHE).output
    results = list(struct.iter_unpack("<9q", output))
    expected = [tuple(_signed(value, 64) for value in _arithmetic(a, b)) for a, b in pairs]
    assert results == expected


def esp32_with_the_compiler_of_debian() -> Target:
    """The ESP32, with the compiler of `xtensa_lx6` in place of Espressif's."""
    esp32, stand_in = load_target("esp32"), target_or_skip("xtensa_lx6")
    toolchain = replace(esp32.toolchain, prefix=stand_in.toolchain.prefix)
    return replace(esp32, toolchain=toolchain, tools=stand_in.tools)


def test_a_firmware_for_the_esp32_lies_in_its_memory(tmp_path: Path) -> None:
    """Vectors in IRAM, code and constants where the chip maps flash, each at its own address."""
    target = esp32_with_the_compiler_of_debian()
    image = build_pair(target, tmp_path, kind="minimal")
    with image.elf.open("rb") as file:
        elf = ELFFile(file)
        table = elf.get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        places = {each.name: each["st_value"] for each in table.iter_symbols()}
        entry = elf.header["e_entry"]
        stored = [
            (each["p_paddr"], each["p_filesz"])
            for each in elf.iter_segments(type="PT_LOAD")
            if each["p_filesz"]
        ]
    assert entry == places["tinyml_reset"]
    assert 0x4008_0000 <= entry < 0x400A_0000
    assert places["tinyml_vectors"] % 1024 == 0
    assert 0x400D_0000 <= places["pair_invoke"] < 0x4040_0000
    assert 0x3F40_0000 <= places["pair_weights"] < 0x3F80_0000
    assert 0x3FFA_E000 <= places["pair_arena"] < 0x4000_0000
    assert places["__bss_end"] == 0x4000_0000
    size = measure_image(target, image)
    assert size.flash_bytes == max(start + size for start, size in stored) - 0x3F40_0000
    assert sum(size for _, size in stored) <= size.flash_bytes < 4096
    check_fits(target, size, where="pair")


def test_a_test_image_of_the_esp32_runs(tmp_path: Path) -> None:
    """Linked for QEMU's processor from the same objects."""
    target = esp32_with_the_compiler_of_debian()
    image = build_pair(target, tmp_path)
    result = run_image(target, image, SAMPLES, cache=CACHE)
    assert result.output == expected_output(SAMPLES)
    assert len(result.counts) == len(SAMPLES) // SAMPLE_BYTES


def _without_the_vendor(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path with all the tools of the ESP32 that a package has."""
    for program in ("gcc", "qemu-system-xtensa"):
        found = shutil.which(program)
        assert found
        (folder / program).symlink_to(found)
    monkeypatch.setenv("PATH", str(folder))


def test_a_tool_of_a_vendor_is_not_sought_in_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target_or_skip("esp8266")  # brings the emulator
    _without_the_vendor(tmp_path, monkeypatch)
    with pytest.raises(ToolError) as caught:
        require_tools(load_target("esp32"), for_runs=False)
    assert str(caught.value) == (
        "esp32: error: missing tools: xtensa-esp32-elf-gcc (not packaged by Debian), "
        "xtensa-esp32-elf-objdump (not packaged by Debian)\n"
        "  hint: install Espressif's toolchain, "
        "https://github.com/espressif/crosstool-NG/releases"
    )


def test_the_set_up_leaves_tools_of_a_vendor_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target_or_skip("esp8266")
    asked: list[list[str]] = []
    monkeypatch.setattr(tools, "install_packages", asked.append)
    monkeypatch.setattr(tools, "can_install_packages", lambda: True)
    _without_the_vendor(tmp_path, monkeypatch)
    tools.install_tools(["esp32"])
    assert asked == []
    tools.install_tools(["esp32", "esp8266"])
    assert asked == [["binutils-xtensa-lx106", "gcc-xtensa-lx106"]]
