"""The tables of parts and boards that can be compiled for, from what others say of them.

`python -m generate.parts FOLDER...`, in the project's folder, writes them.  A folder is a
checkout of one of PlatformIO's platforms (github.com/platformio/platform-ststm32 and others), whose
boards tell core, clock and memories.  AVR's memories are those of avr-libc's headers, asked by the
installed avr-gcc.  What neither has is in `parts_by_hand.toml`, with the data sheet.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from generate.boards import boards_text
from tinyml_rules.target.part_table import (
    BOARDS_FILE,
    PARTS_FILE,
    part_without_order_code,
    plain_name,
    same_letters,
)
from tinyml_rules.target.target import load_target

BY_HAND = Path(__file__).with_name("parts_by_hand.toml")
TARGETS = {
    "AVR, up to 64 kB of flash": ("atmega328", "atmega168", "atmega32u4"),
    "AVR, 128 kB of flash": ("atmega1284p",),
    "AVR, 256 kB of flash": ("atmega2560",),
    "Cortex-M0": ("nrf51", "stm32f072"),
    "Cortex-M0+": ("rp2040", "samd21", "stm32g071", "stm32l053"),
    "Cortex-M3": ("stm32f103", "lm3s6965"),
    "Cortex-M4F": (
        *("nrf52840", "nrf52832", "nrf52833", "stm32f303", "stm32f405", "stm32f411"),
        *("stm32g474", "stm32l476"),
    ),
    "Cortex-M7 with single-precision FPU": ("stm32f746",),
    "Cortex-M7 with double-precision FPU": ("atsamv71", "stm32h743"),
    "Cortex-M33 without DSP": ("nrf5340_network",),
    "Cortex-M33 with DSP and FPU": ("rp2350", "nrf5340"),
    "Cortex-M55 with Helium": ("mps3_an547",),
    "RV32IMC or more": ("riscv32imc", "esp32c3", "gd32vf103"),
    "Xtensa LX6": ("esp32",),
    "Xtensa LX106": ("esp8266",),
}
"""By core, what can be compiled for: of several the one whose name begins most like the part's, of
equal ones the first."""

_BOARD_CORES = {
    "cortex-m0": "Cortex-M0",
    "cortex-m0plus": "Cortex-M0+",
    "cortex-m3": "Cortex-M3",
    "cortex-m4": "Cortex-M4F",
    "cortex-m7": "Cortex-M7 with double-precision FPU",
    "cortex-m33": "Cortex-M33 with DSP and FPU",
}
_SINGLE_PRECISION = re.compile(r"stm32f7[2-5]|imxrt1010")
_LEFT_OUT = re.compile(
    r"stm32wl|mk20|mkw24"  # a Cortex-M4 without an FPU
    r"|lpc55s16"  # told of boards, but not which extensions its core has
    r"|stm32mp|nrf51822$|imxrt"  # no flash; three memories by one name; flash outside the part
)
_STM32 = re.compile(r"stm32\w{4}[a-z]([468bczdefghi])")
_FLASH_LETTERS = dict(
    zip("468bzcdefghi", (16, 32, 64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048), strict=True)
)
"""Of ST's order codes, in kB."""
_AVR_WITH_MULTIPLIER = re.compile(r"\b(?:atmega|at90(?:can|pwm|usb))\w+")
_AVR_SIZES = {
    "AVR, up to 64 kB of flash": 64,
    "AVR, 128 kB of flash": 128,
    "AVR, 256 kB of flash": 256,
}


_ASKED_WORDS = ("FLASHEND", "RAMSTART", "RAMEND")
_ASKED = (
    """#include <avr/io.h>
#ifdef __AVR_HAVE_MUL__
"""
    + "".join(f"asked: {word}\n" for word in _ASKED_WORDS)
    + "#endif\n"
)


class Row(NamedTuple):
    """A part as somebody tells of it; 0 where the clock is not told."""

    name: str
    core: str
    flash_bytes: int
    ram_bytes: int
    clock_hz: int


def board_rows(folder: Path) -> Iterator[Row]:
    """The parts of the boards of one platform that have a core of ours."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for path in sorted((folder / "boards").glob("*.json")):
        board = json.loads(path.read_text(encoding="utf-8"))
        build = board["build"]
        if build.get("cpu") in _BOARD_CORES and not _LEFT_OUT.search(build["mcu"]):
            found.setdefault(_part_name(build["mcu"]), []).append(board)
    for name, boards in found.items():
        yield _row_of(name, boards)


def _part_name(mcu: str) -> str:
    """Without what an order code says of the package and the temperatures."""
    return part_without_order_code(plain_name(mcu).removeprefix("lp"))


def _row_of(name: str, boards: list[Mapping[str, Any]]) -> Row:
    """What most of the boards say; of a part with a loader in its flash, the whole flash."""
    letter = _STM32.match(name)
    flash = max(each["upload"]["maximum_size"] for each in boards)
    if letter:
        flash = _FLASH_LETTERS[letter[1]] * 1024
    amounts = Counter(each["upload"]["maximum_ram_size"] for each in boards)
    most = max(amounts.values())
    ram = min(amount for amount, times in amounts.items() if times == most)
    clock = max(int(str(each["build"]["f_cpu"]).rstrip("L")) for each in boards)
    cores = Counter(_BOARD_CORES[each["build"]["cpu"]] for each in boards)
    core = cores.most_common(1)[0][0]
    if _SINGLE_PRECISION.match(name):
        core = "Cortex-M7 with single-precision FPU"
    return Row(name, core, flash, ram, clock)


def avr_rows(clocks: Mapping[str, int], compiler: str = "avr-gcc") -> Iterator[Row]:
    """The parts with a multiplier that the compiler knows and avr-libc has a header for."""
    told = _output([compiler, "--target-help"])
    for name in sorted(set(_AVR_WITH_MULTIPLIER.findall(told))):
        found = avr_memories(name, compiler)
        if found:
            flash, ram = found
            core = next(each for each, most in _AVR_SIZES.items() if flash <= most * 1024)
            yield Row(name, core, flash, ram, clocks.get(name, 0))


def avr_memories(name: str, compiler: str = "avr-gcc") -> tuple[int, int] | None:
    """Bytes of flash and of RAM by the header of a part; None without a multiplier or a header."""
    words = [compiler, f"-mmcu={name}", "-E", "-P", "-x", "c", "-"]
    done = subprocess.run(words, input=_ASKED, capture_output=True, text=True, check=False)
    found = re.findall(r"^asked: ([\w()+* -]+)$", done.stdout, re.M)
    if done.returncode or len(found) < len(_ASKED_WORDS):
        return None
    numbers = [re.sub(r"(?<=[0-9a-fA-F])[uUlL]+\b", "", each) for each in found]
    if any(re.search(r"(?!0[xX])\b[A-Za-z_]", each) for each in numbers):
        return None  # a name that the header does not define
    flash, start, end = (eval(each, {"__builtins__": {}}) for each in numbers)  # noqa: S307
    return flash + 1, end - start + 1


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def _avr_clocks(folders: Iterable[Path]) -> dict[str, int]:
    """At which the boards with an AVR run."""
    clocks: dict[str, int] = {}
    for path in (each for folder in folders for each in sorted((folder / "boards").glob("*.json"))):
        build = json.loads(path.read_text(encoding="utf-8"))["build"]
        if _AVR_WITH_MULTIPLIER.fullmatch(build["mcu"]):
            clock = int(str(build["f_cpu"]).rstrip("L"))
            clocks[build["mcu"]] = max(clock, clocks.get(build["mcu"], 0))
    return clocks


def hand_rows() -> Iterator[Row]:
    """The parts with a data sheet of their own in `parts_by_hand.toml`."""
    for group in tomllib.loads(BY_HAND.read_text(encoding="utf-8"))["group"]:
        for name, flash_kib, ram_kib, clock_mhz in group["parts"]:
            sizes = (int(flash_kib * 1024), int(ram_kib * 1024))
            yield Row(name, group["core"], *sizes, int(clock_mhz * 1_000_000))


def target_of(row: Row) -> str:
    """What to compile for."""
    return max(TARGETS[row.core], key=lambda target: same_letters(target, row.name))


def table_text(rows: Iterable[Row], sources: Iterable[str]) -> str:
    """The file, a group for each core and target, the smallest part of each first."""
    lines = [
        "# Parts and what to compile for them; written by generate/parts.py, not by hand.",
        "#",
    ]
    lines += [f"# {each}" for each in sources]
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.core, target_of(row)), []).append(row)
    for core, targets in TARGETS.items():
        for target in targets:
            found = groups.get((core, target), [])
            if found:
                load_target(target)  # there is such a one
                lines += ["", "[[group]]", f'core = "{core}"', f'target = "{target}"']
                lines += ["# name, bytes of flash, bytes of RAM, Hz (0: not told)", "parts = ["]
                by_size = sorted(found, key=lambda row: (row.ram_bytes, row.flash_bytes, row.name))
                lines += [f"  {_toml(row)}," for row in by_size]
                lines += ["]"]
    return "\n".join(lines) + "\n"


def _toml(row: Row) -> str:
    return f'["{row.name}", {row.flash_bytes:_}, {row.ram_bytes:_}, {row.clock_hz:_}]'


def _source(folder: Path) -> str:
    platform = json.loads((folder / "platform.json").read_text(encoding="utf-8"))
    return f"PlatformIO's platform {platform['name']} {platform['version']}: boards"


def main() -> None:
    """Write both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    folders = parser.parse_args().folders
    rows = {row.name: row for folder in folders for row in board_rows(folder)}
    rows |= {row.name: row for row in avr_rows(_avr_clocks(folders))}
    by_hand = list(hand_rows())
    rows |= {row.name: row for row in by_hand}
    sheets = tomllib.loads(BY_HAND.read_text(encoding="utf-8"))["group"]
    platforms = [*map(_source, folders)]
    sources = [*platforms, "avr-libc's headers: memories of AVR"]
    sources += [each["source"] for each in sheets]
    PARTS_FILE.write_text(table_text(rows.values(), sources), encoding="utf-8")
    BOARDS_FILE.write_text(boards_text(folders, rows, platforms), encoding="utf-8")


if __name__ == "__main__":
    main()
