"""The data of a linked firmware for an emulator: the bytes of its flash, and addresses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tinyml_rules.errors import ToolError, UsageError
from tinyml_rules.ir.interface import Interface
from tinyml_rules.target.target import Target
from tinyml_rules.target.toolchain import Memory

_DATA_SPACE = 0x80_0000
"""An AVR's linker adds this to data addresses."""
_CORES: Mapping[str, str] = {"cortex_m0plus": "rp2040js"}
_STOPS = ("tinyml_unexpected_interrupt", "tinyml_fault")
"""Functions of the startup code that end in themselves."""
_THUMB_BIT = 1


@dataclass(frozen=True)
class Flashed:
    """The contents of flash, from its origin on, and the addresses of symbols."""

    code: bytes
    symbols: Mapping[str, int]


def emulator_of(target: Target) -> str:
    """The emulator in JavaScript that knows the part; raises UsageError where none does."""
    core = target.cycles.core if target.cycles else ""
    found = "avr8js" if target.architecture == "avr" else _CORES.get(core, "")
    if not found or target.memory is None:
        what = f"target '{target.name}' has no emulator in JavaScript"
        raise UsageError.at("web", f"{what}, expected an AVR or a Cortex-M0+ such as rp2040")
    return found


def read_image(elf_file: Path, memory: Memory) -> Flashed:
    """The flash of a linked program."""
    with elf_file.open("rb") as file:
        elf = ELFFile(file)
        code = bytearray()
        for segment in elf.iter_segments(type="PT_LOAD"):
            start = segment["p_paddr"] - memory.flash.origin
            if not segment["p_filesz"] or not 0 <= start < memory.flash.bytes:
                continue
            end = start + segment["p_filesz"]
            code.extend(bytes(max(0, end - len(code))))
            code[start:end] = segment.data()
        table = elf.get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection), "nobody strips them"
        symbols = {each.name: int(each["st_value"]) for each in table.iter_symbols() if each.name}
    return Flashed(bytes(code), symbols)


def image_data(target: Target, flashed: Flashed, interface: Interface) -> dict[str, Any]:
    """What `emulator/firmware.js` takes but for the code.  Raises UsageError for a model whose
    firmware is more than its flash, ToolError for an image that is another model's."""
    if interface.has_external_weights:
        what = "reads its weights from outside flash, which a page does not have"
        raise UsageError.at(interface.name, what, hint="compile it with its weights in flash")
    assert target.memory is not None, "judged before"
    bit = _THUMB_BIT if target.architecture == "arm" else 0

    def address(name: str) -> int:
        if name not in flashed.symbols:
            raise ToolError.at(interface.name, f"the firmware has no symbol '{name}'")
        return flashed.symbols[name] & ~bit

    is_filled = not (interface.pushed_rows or interface.samples)
    data_space = _DATA_SPACE if target.architecture == "avr" else 0
    stops = [address(name) for name in _STOPS if name in flashed.symbols]
    return {
        "emulator": emulator_of(target),
        "part": {
            name: {"origin": region.origin, "bytes": region.bytes}
            for name, region in (("flash", target.memory.flash), ("ram", target.memory.ram))
        },
        "symbols": {
            "entry": address(interface.outermost),
            "reset": address(f"{interface.name}_reset") if interface.has_reset else 0,
            "inputs": [address(each.accessor) for each in interface.inputs] if is_filled else [],
            "outputs": [address(each.accessor) for each in interface.outputs],
            "events": [address(each) for each in interface.events],
            "stackTop": address("__stack_top") - data_space,
            "vectors": flashed.symbols.get("vectors", 0),
            "stops": stops,
        },
        "outputBytes": [each.size_bytes for each in interface.outputs],
        "rows": interface.pushed_rows,
        "isTold": interface.ends_early,
        "intBytes": 2 if target.architecture == "avr" else 4,
        "rowBytes": interface.row_bytes if interface.pushed_rows else 0,
        "argument": 1 if interface.argument else 0,
    }
