"""The RAM of a linked program, added up section by section.

The distance from the first address to the last would be more: the stack of the Pico SDK, for
example, is a section at the far end.  Sections that only reserve heap and stack are not variables:
linker scripts have them so that a link fails if too little RAM is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Section

from tinyml_rules.target.toolchain import Memory, MemoryRegion

_PLACED = ".tinyml_"
"""Prefix of the names of sections in further memory regions."""
_RESERVED = re.compile(
    r"[._]*(user_)?(arm_lib_)?(heap(_stack)?|stack(_heap|heap)?)\d*(_dummy)?", re.IGNORECASE
)
"""Names in the linker scripts of the Pico SDK, STM32Cube, CMSIS, Nordic's and Microchip's SDKs."""


@dataclass(frozen=True)
class RamUse:
    """`variables_bytes` in the RAM of a part, alignment included.

    `reserved`: bytes by section that a linker script keeps for heap and stack, in no other count;
    `elsewhere`: bytes of variables by section in memory that is not the part's RAM, a second bank
    for example.
    """

    variables_bytes: int
    reserved: dict[str, int]
    elsewhere: dict[str, int]


def static_ram_bytes(elf_file: Path, memory: Memory) -> int:
    """Bytes of RAM that a linked image's variables take from the stack."""
    return ram_use(elf_file, memory).variables_bytes


def ram_use(elf_file: Path, memory: Memory) -> RamUse:
    """The RAM of all sections; raises OSError and ELFError for a file that cannot be read."""
    with elf_file.open("rb") as file:
        sections = [each for each in ELFFile(file).iter_sections() if _is_variable(each)]
    inside = [each for each in sections if is_in(each["sh_addr"], memory.ram)]
    reserved = {each.name: each["sh_size"] for each in inside if _RESERVED.fullmatch(each.name)}
    return RamUse(
        _occupied(
            each
            for each in inside
            if each.name not in reserved and not each.name.startswith(_PLACED)
        ),
        reserved,
        {
            each.name: each["sh_size"]
            for each in sections
            if each["sh_flags"] & SH_FLAGS.SHF_WRITE
            and not is_in(each["sh_addr"], memory.flash)
            and (each not in inside or each.name.startswith(_PLACED))
        },
    )


def is_in(address: int, region: MemoryRegion) -> bool:
    """Whether an address belongs to a region."""
    return region.origin <= address < region.origin + region.bytes


def _is_variable(section: Section) -> bool:
    """Whether a section has variables; segments may also contain a neighbouring region.

    Read-only code is not a variable, although RAM that was enlarged for measuring may include its
    address; nor is thread-local data.
    """
    flags = section["sh_flags"]
    is_code = flags & SH_FLAGS.SHF_EXECINSTR and not flags & SH_FLAGS.SHF_WRITE
    is_of_threads = flags & SH_FLAGS.SHF_TLS and section["sh_type"] == "SHT_NOBITS"
    return bool(
        section["sh_size"] and flags & SH_FLAGS.SHF_ALLOC and not is_code and not is_of_threads
    )


def _occupied(sections: Iterable[Section]) -> int:
    """Bytes of the sections, each once, with their alignment and the alignment at the end of
    RAM."""
    total, end, largest = 0, 0, 1
    for each in sorted(sections, key=lambda one: int(one["sh_addr"])):
        start, alignment = each["sh_addr"], max(each["sh_addralign"], 1)
        gap = start - end
        is_padding = total and 0 < gap < alignment
        total += max(start + each["sh_size"] - max(start, end), 0) + (gap if is_padding else 0)
        end = max(end, start + each["sh_size"])
        largest = max(largest, alignment)
    return int(-(-total // largest) * largest)
