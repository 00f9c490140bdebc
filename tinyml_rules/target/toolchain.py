"""The command lines of a GCC toolchain: compile, link, convert.  Builds lists, runs nothing.

Standard library only, like `target.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

STANDARD_FLAG = "-std=gnu11"
"""The dialect of C: `__flash` is a GNU extension."""

CODE_FLAGS = ("-O3", "-ffunction-sections", "-fdata-sections", "-fstack-usage")
"""The flags of every object.  No -g: it would record paths.  -O3: half the instructions of -Os on
Cortex-M for a few kilobytes, and smaller than -Os on AVR."""

FLOAT_UNIT_FLAG = "-mfloat-abi=hard"
"""The flag of a part with a float unit."""

WARNING_FLAGS = ("-Wall", "-Wextra", "-Werror", "-Wconversion")
"""For C of this project, generated or not; a user's own files may want others."""

_VARIABLES_BYTES = "__variables_bytes"
_LINK_FLAGS = ("-Wl,--gc-sections", "-Wl,--fatal-warnings")


@dataclass(frozen=True)
class MemoryRegion:
    """`bytes` of memory from address `origin`, as the linker counts addresses."""

    origin: int
    bytes: int


@dataclass(frozen=True)
class Memory:
    """`flash` for code and constants, `ram` for variables and the stack, and further `regions` for
    tensors that a user places there, by the names that the linker script uses."""

    flash: MemoryRegion
    ram: MemoryRegion
    regions: Mapping[str, MemoryRegion] = field(default_factory=dict)


@dataclass(frozen=True)
class Toolchain:
    """A GCC toolchain whose programs are called `<prefix>gcc`, `<prefix>objcopy`, and so on."""

    prefix: str
    compile_flags: tuple[str, ...]
    link_flags: tuple[str, ...]
    link_script: Path | None

    @property
    def has_float_unit(self) -> bool:
        """Whether it compiles for one; only Arm's flags say so."""
        return FLOAT_UNIT_FLAG in self.compile_flags

    def program(self, name: str) -> str:
        """The full name of one of its programs: `objdump` -> `avr-objdump`."""
        return self.prefix + name

    def compile_command(
        self,
        source: Path,
        object_file: Path,
        *,
        include: Sequence[Path] = (),
        more: Sequence[str] = (),
    ) -> list[str]:
        """Compile one C file, with `more` flags; `<object>.su` with the stack of each function is
        written next to it."""
        flags = [STANDARD_FLAG, *CODE_FLAGS, *self.compile_flags, *WARNING_FLAGS, *more]
        folders = [f"-I{folder}" for folder in include]
        return [self.program("gcc"), *flags, *folders, "-c", str(source), "-o", str(object_file)]

    @property
    def machine_flags(self) -> list[str]:
        """The flags that name the processor; the others are for images with our startup code."""
        return [flag for flag in self.compile_flags if flag.startswith("-m")]

    @property
    def links_twice(self) -> bool:
        """Whether the linker script needs the size of the variables, which a first link finds."""
        script = self.link_script
        return script is not None and _VARIABLES_BYTES in script.read_text(encoding="utf-8")

    def link_flags_around_objects(self, memory: Memory | None) -> tuple[list[str], list[str]]:
        """(flags before the objects, libraries after them, without their `-l`)."""
        script = [] if self.link_script is None else [f"-Wl,--script={self.link_script}"]
        libraries = [flag.removeprefix("-l") for flag in self.link_flags if flag.startswith("-l")]
        others = [flag for flag in self.link_flags if not flag.startswith("-l")]
        return [
            *self.compile_flags,
            *others,
            *script,
            *_memory_symbols(memory),
            *_LINK_FLAGS,
        ], libraries

    def link_command(
        self,
        objects: Sequence[Path],
        elf: Path,
        *,
        map_file: Path,
        memory: Memory | None,
        variables_bytes: int | None = None,
    ) -> list[str]:
        """Link objects into `elf`; `memory` is the part's, or that of the machine for tests.

        `variables_bytes`: the size that the first of two links found.
        """
        before, libraries = self.link_flags_around_objects(memory)
        return [
            self.program("gcc"),
            *variables_flags(variables_bytes),
            *before,
            f"-Wl,-Map={map_file}",
            *(str(file) for file in objects),
            *(f"-l{library}" for library in libraries),
            "-o",
            str(elf),
        ]

    def objcopy_command(self, elf: Path, output: Path, *, output_format: str) -> list[str]:
        """Convert an ELF file for a programmer; `output_format` is `ihex` or `binary`."""
        return [self.program("objcopy"), "-O", output_format, str(elf), str(output)]


def variables_flags(variables_bytes: int | None) -> list[str]:
    """Arguments of the second of two links; before the script, or DEFINED there is false."""
    if variables_bytes is None:
        return []
    return [f"-Wl,--defsym={_VARIABLES_BYTES}={variables_bytes}"]


def _memory_symbols(memory: Memory | None) -> list[str]:
    """The symbols from which a family's one linker script takes its regions."""
    if memory is None:
        return []
    regions = {"flash": memory.flash, "ram": memory.ram, **memory.regions}
    return [
        f"-Wl,--defsym=__{name}_{word}={value:#x}"
        for name, region in regions.items()
        for word, value in (("origin", region.origin), ("bytes", region.bytes))
    ]
