"""Flash, RAM and stack of a linked firmware, and whether the target has enough of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Section, SymbolTableSection

from tinyml_rules.errors import DoesNotFitError, Problem, Shortage
from tinyml_rules.firmware.image import Image, Kind
from tinyml_rules.firmware.interrupts import StackBound
from tinyml_rules.firmware.ram import is_in, static_ram_bytes
from tinyml_rules.firmware.stack import worst_stacks
from tinyml_rules.target.target import Target
from tinyml_rules.target.toolchain import Memory, MemoryRegion

Region = Literal["flash", "ram"]

_LARGEST_COUNT = 10
_NAMED_COUNT = 3


@dataclass(frozen=True)
class Consumer:
    """A symbol and its bytes in one kind of memory."""

    symbol: str
    bytes: int
    region: Region
    is_stored: bool = True
    """Whether it is stored in flash: code, constants, and initial values of variables."""


@dataclass(frozen=True)
class ImageSize:
    """The memory that a firmware needs.

    `stack` is the worst case of the whole firmware from reset on, `invoke_stack_bytes` that of
    one call of `<name>_invoke`, return address included; both are None on the host.
    On the host the figures are those of the model alone.
    """

    flash_bytes: int
    static_ram_bytes: int
    stack: StackBound | None
    invoke_stack_bytes: int | None
    symbols: tuple[Consumer, ...]
    """All symbols, the largest first."""

    @property
    def largest(self) -> tuple[Consumer, ...]:
        """The largest symbols."""
        return self.symbols[:_LARGEST_COUNT]

    @property
    def stack_bytes(self) -> int | None:
        """The worst case in bytes, interrupt handlers included."""
        return None if self.stack is None else self.stack.bytes

    @property
    def ram_bytes(self) -> int:
        """Variables (.data and .bss) and, if it is known, the worst-case stack."""
        return self.static_ram_bytes + (self.stack_bytes or 0)


def measure_image(target: Target, image: Image) -> ImageSize:
    """Measure a linked image; raises ToolError if its stack has no bound."""
    memory = target.memory if image.kind == "minimal" else target.test_memory
    if memory is None:
        return _measure_objects(image.model_objects)
    with image.elf.open("rb") as file:
        elf = ELFFile(file)
        flash_bytes = _flash_bytes(elf, memory)
        symbols = _by_size(_consumers(elf))
    whole, invoke = worst_stacks(target, image)
    return ImageSize(
        flash_bytes=flash_bytes,
        static_ram_bytes=static_ram_bytes(image.elf, memory),
        stack=whole,
        invoke_stack_bytes=invoke,
        symbols=symbols,
    )


def check_fits(target: Target, size: ImageSize, *, where: str, kind: Kind = "minimal") -> None:
    """Raise DoesNotFitError if firmware `where` needs more flash or RAM than `target` has."""
    memory = target.memory if kind == "minimal" else target.test_memory
    if memory is None:
        return
    stack = f" (variables {size.static_ram_bytes:,}, stack {size.stack_bytes or 0:,})"
    demands: tuple[tuple[Region, str, int, str, MemoryRegion], ...] = (
        ("flash", "flash", size.flash_bytes, "", memory.flash),
        ("ram", "RAM", size.ram_bytes, stack, memory.ram),
    )
    problems = [
        Problem(
            where,
            f"needs {needed:,} bytes of {word}{detail}, target '{target.name}' has {has.bytes:,}"
            f"{_largest_named(size.symbols, region)}",
            shortage=Shortage(word, needed, has.bytes),
        )
        for region, word, needed, detail, has in demands
        if needed > has.bytes
    ]
    if problems:
        raise DoesNotFitError(problems)


def loaded_bytes(elf_file: Path, memory: Memory) -> int:
    """Bytes of flash that a linked image takes."""
    with elf_file.open("rb") as file:
        return _flash_bytes(ELFFile(file), memory)


def consumers_of(elf_file: Path) -> tuple[Consumer, ...]:
    """Every function and variable of a linked image, the largest first."""
    with elf_file.open("rb") as file:
        return _by_size(_consumers(ELFFile(file)))


def _flash_bytes(elf: ELFFile, memory: Memory) -> int:
    """Bytes from the origin of flash to the last one used.

    Other addresses belong to what a test image has in place of a loader.
    """
    end = memory.flash.origin
    for segment in elf.iter_segments(type="PT_LOAD"):
        if segment["p_filesz"] and is_in(segment["p_paddr"], memory.flash):
            end = max(end, segment["p_paddr"] + segment["p_filesz"])
    return int(end - memory.flash.origin)


def _measure_objects(objects: tuple[Path, ...]) -> ImageSize:
    """The sizes of a model for the host, whose linked program holds a C library too."""
    flash_bytes, ram_bytes = 0, 0
    consumers: list[Consumer] = []
    for path in objects:
        with path.open("rb") as file:
            elf = ELFFile(file)
            for section in elf.iter_sections():
                if not section["sh_flags"] & SH_FLAGS.SHF_ALLOC or _is_unwind_table(section):
                    continue
                is_stored = section["sh_type"] != "SHT_NOBITS"
                flash_bytes += section["sh_size"] if is_stored else 0
                ram_bytes += section["sh_size"] if _region(section) == "ram" else 0
            consumers += _consumers(elf)
            ram_bytes += _common_bytes(elf)
    return ImageSize(flash_bytes, ram_bytes, None, None, _by_size(consumers))


def _common_bytes(elf: ELFFile) -> int:
    """Bytes of common symbols, which have no section before the link: a shared arena."""
    table = elf.get_section_by_name(".symtab")
    symbols = table.iter_symbols() if isinstance(table, SymbolTableSection) else ()
    return sum(symbol["st_size"] for symbol in symbols if symbol["st_shndx"] == "SHN_COMMON")


def _is_unwind_table(section: Section) -> bool:
    return bool(section.name == ".eh_frame" or section.name.startswith(".note"))


def _region(section: Section) -> Region:
    return "ram" if section["sh_flags"] & SH_FLAGS.SHF_WRITE else "flash"


def _consumers(elf: ELFFile) -> Iterator[Consumer]:
    """Every function and variable with its size; of several names, one that is not weak."""
    table = elf.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        return  # somebody has stripped it
    by_place: dict[tuple[int, int], Consumer] = {}
    for symbol in table.iter_symbols():
        index, info = symbol["st_shndx"], symbol["st_info"]
        is_code_or_data = info["type"] in ("STT_FUNC", "STT_OBJECT")
        if not is_code_or_data or not symbol["st_size"] or not isinstance(index, int):
            continue
        place = (index, symbol["st_value"])
        if place not in by_place or info["bind"] != "STB_WEAK":
            section = elf.get_section(index)
            is_stored = section["sh_type"] != "SHT_NOBITS"
            by_place[place] = Consumer(symbol.name, symbol["st_size"], _region(section), is_stored)
    yield from by_place.values()


def _by_size(consumers: Iterator[Consumer] | list[Consumer]) -> tuple[Consumer, ...]:
    return tuple(sorted(consumers, key=lambda each: (-each.bytes, each.symbol)))


def _largest_named(consumers: tuple[Consumer, ...], region: Region) -> str:
    named = [
        f"{each.symbol} with {each.bytes:,} bytes" for each in consumers if each.region == region
    ]
    return f"; largest: {', '.join(named[:_NAMED_COUNT])}" if named else ""
