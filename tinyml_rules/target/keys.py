"""Every key of a target.toml: its type, its words and its meaning.

What a target lacks, its family may have, so that no key has to be there.  Standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tinyml_rules.ir.features import FEATURES, Feature
from tinyml_rules.ir.work_kind import WorkKind
from tinyml_rules.target.cycles import CLASSES, COST, COSTS, EARLY_OR_LATE
from tinyml_rules.target.equipment import PROGRAM_FORMATS, RUNNERS

ARCHITECTURES = {
    "arm": "Arm Cortex-M",
    "avr": "8-bit AVR",
    "host": "this computer",
    "riscv": "RISC-V",
    "xtensa": "Tensilica Xtensa",
}
"""By word, what it is."""


@dataclass(frozen=True)
class Key:
    """A value: `kind` is its type, where lists contain strings, and numbers are 0 or more."""

    kind: type
    help: str
    example: Any = None
    words: Mapping[str, str] = field(default_factory=dict)
    """The words that are taken, if not any; of a list those of its members."""
    pattern: str = ""
    """The expression that all of a text matches."""


@dataclass(frozen=True)
class Keys:
    """A table: its keys by name, and `others`, what any further key has."""

    help: str
    known: Mapping[str, Key | Keys] = field(default_factory=dict)
    others: Key | Keys | None = None
    names: tuple[str, ...] = ()
    """The names that further keys have, if not any."""
    name_pattern: str = ""
    """The expression that all of the name of a further key matches."""


_REGION = Keys(
    "a region of memory",
    {
        "origin": Key(int, "the first address, as the linker counts", 0x2000_0000),
        "bytes": Key(int, "the size", 65_536),
    },
)
_MEMORY = {"flash": _REGION, "ram": _REGION}
_BY_PRODUCTS = Keys(
    "cycles or instructions for a product, by the products of an output value",
    others=Key(float, "for each product of such a value", 0.94),
    name_pattern="0*[1-9][0-9]*",
)
_WORKS = {
    kind.value: _BY_PRODUCTS if kind.has_products else Key(float, "for each value", 2.5)
    for kind in WorkKind
    if kind is not WorkKind.OTHER
}
_CLASSES = dict.fromkeys(CLASSES, "")
_CORE: Mapping[str, Key | Keys] = {
    "source": Key(str, "the manual, or who measured", "Arm Cortex-M3 TRM, 18.2"),
    "issue_width": Key(int, "instructions that may begin in one cycle", 2),
    "alone": Key(list, "classes that share a cycle with none", ["load_multiple"], _CLASSES),
    "first_of_pair": Key(
        list, "classes that share a cycle with the next one alone", ["bit_field"], _CLASSES
    ),
    "forwarded": Key(
        list, "classes whose result the second of a pair can use", ["move_or_add"], _CLASSES
    ),
    "early_operands": Key(
        list, "what is read a cycle before other operands", ["address"], EARLY_OR_LATE
    ),
    "late_operands": Key(
        list, "what is read a cycle after other operands", ["accumulator"], EARLY_OR_LATE
    ),
    "pipes": Keys(
        "of the classes of a pipe one begins in a cycle",
        others=Key(list, "classes", ["store", "multiply"], _CLASSES),
    ),
}
_PACKAGES = "the Debian package that brings each program or C header"

TARGET = Keys(
    "A processor, its memory, and the tools that build and run its firmware.",
    {
        "description": Key(str, "what it is", "Microchip ATmega328P"),
        "abstract": Key(bool, "a family, which cannot be built for", True),
        "parent": Key(str, "the family from which it inherits", "cortex_m"),
        "like": Key(str, "in place of `parent`: the target whose core it has", "nrf52840"),
        "architecture": Key(str, "of the processor", "arm", ARCHITECTURES),
        "clock_hz": Key(int, "turns counts into times", 64_000_000),
        "core": Key(str, "the table of `[cycles]` with its instructions", "cortex_m4"),
        "features": Key(
            list,
            "what kernels may use",
            ["multiply_64"],
            {name: Feature(name).meaning for name in FEATURES},
        ),
        "memory": Keys("the part's memory; further regions are for `--place`", _MEMORY, _REGION),
        "toolchain": Keys(
            "the GCC that compiles",
            {
                "prefix": Key(str, "what is before `gcc` in its name", "arm-none-eabi-"),
                "compile_flags": Key(list, "flags of every object", ["-mcpu=cortex-m4"]),
                "link_flags": Key(list, "flags of an image", ["-lgcc"]),
            },
        ),
        "packages": Keys(_PACKAGES, others=Key(str, "the package", "gcc-arm-none-eabi")),
        "wheels": Keys(
            "the PyPI package that brings a program", others=Key(str, "the package", "esptool")
        ),
        "vendor_tools": Keys(
            "programs that no package has",
            others=Key(
                str, "the vendor that has it, and where", "Espressif's toolchain, https://…"
            ),
        ),
        "runner": Keys(
            "what runs a test image",
            {
                "kind": Key(str, "the module that runs it", "qemu", RUNNERS),
                "program": Key(str, "qemu: the emulator", "qemu-system-arm"),
                "machine": Key(str, "the machine that is emulated", "netduinoplus2"),
                "cpu": Key(str, "qemu: the processor, if a machine can have several", "de212"),
                "arguments": Key(list, "qemu: further arguments", ["-icount", "shift=0"]),
                "select": Key(str, "simavr: the pin that selects the memory of weights", "B2"),
                "packages": Keys(
                    f"for runs alone, {_PACKAGES}", others=Key(str, "the package", "simavr")
                ),
                "word_access": Key(
                    list, "qemu: regions from which the part loads aligned words only", ["flash"]
                ),
                "memory": Keys("the memory of its machine", _MEMORY, _REGION),
            },
        ),
        "floors": Keys(
            "by feature, what the best known form of each kind of work takes",
            others=Keys(
                "of cores with the feature",
                {"source": Key(str, "where the figures are from", "kernels of CMSIS-NN"), **_WORKS},
            ),
            names=tuple(FEATURES),
        ),
        "cycles": Keys(
            "by core, the cycles of its instructions",
            others=Keys(
                "of a core",
                _CORE,
                Key(
                    str,
                    "cycles; `+ N`: one more for each register, `+ N / 2`: for two",
                    "1 + N",
                    pattern=COST,
                ),
                names=COSTS,
            ),
        ),
        "power": Keys(
            "for the energy of an inference",
            {
                "volts": Key(float, "of the supply", 3.0),
                "active_ma": Key(float, "milliamperes while it computes", 6.3),
                "clock_hz": Key(int, "the clock of that current, if not the part's", 64_000_000),
                "source": Key(str, "where these figures are from", "data sheet, table 12"),
                "sleep_ua": Key(float, "microamperes in the sleep between inferences", 1.5),
                "sleep_source": Key(str, "where that figure is from", "data sheet, table 13"),
            },
        ),
        "programmer": Keys(
            "what writes a firmware to a board",
            {
                "program": Key(str, "its name", "avrdude"),
                "command": Key(
                    list, "its arguments, with {file} and {port}", ["-P", "{port}", "{file}"]
                ),
                "port": Key(str, "an example of {port}", "/dev/ttyACM0"),
                "format": Key(
                    str,
                    "of the file",
                    "hex",
                    {word: f"a file .{ending}" for word, ending in PROGRAM_FORMATS.items()},
                ),
                "family": Key(int, "uf2: the number of the family of parts", 0xE48B_FF56),
                "package": Key(str, "the Debian package with the program", "avrdude"),
                "wheel": Key(str, "the PyPI package with the program", "esptool"),
            },
        ),
    },
)
"""The whole file."""
