"""A target: processor, memory, toolchain and runner, as its folder `targets/<name>/` tells.

Runs nothing.  Standard library only: the set-up wrapper imports this before any package is
installed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tinyml_rules.errors import TargetError, UsageError, did_you_mean
from tinyml_rules.target.cycles import Cycles, read_cycles
from tinyml_rules.target.equipment import (
    RUNNER_KEYS,
    Power,
    Programmer,
    RunnerConfig,
    Tool,
    read_power,
    read_programmer,
    read_runner,
    read_tools,
)
from tinyml_rules.target.file import FILE_NAME, is_abstract, read_merged, require, target_folders
from tinyml_rules.target.floors import Floors, read_floors
from tinyml_rules.target.toolchain import Memory, MemoryRegion, Toolchain


@dataclass(frozen=True)
class Feature:
    """A capability that a variant of a kernel may ask for.

    Where its C cannot be compiled without, `words` say what for, and `macros` are the condition by
    which a compiler tells; both are empty for what is only faster.
    """

    meaning: str
    words: str = ""
    macros: str = ""


_XTENSA = ("an Xtensa", "defined __XTENSA__")
FEATURES: Mapping[str, Feature] = {
    "flash_address_space": Feature(
        "constants stay in flash only as `__flash` (GCC's named address space)",
        "an AVR, and GCC's own dialects (-std=gnu11)",
        "defined __FLASH && !defined __STRICT_ANSI__",
    ),
    "avr": Feature(
        "8-bit AVR with a multiplier: inline assembly, few registers",
        "an AVR with a multiplier, and GCC's own dialects (-std=gnu11)",
        "defined __AVR_HAVE_MUL__",
    ),
    "far_flash": Feature(
        "flash exceeds what 16-bit addresses reach; weights may lie beyond, as `__memx`",
        "an AVR with more than 64 kB of flash, and GCC's own dialects (-std=gnu11)",
        "defined __AVR_HAVE_ELPMX__",
    ),
    "registers_32": Feature(
        "a dozen 32-bit registers: four sums at once, a patch of input on the stack"
    ),
    "thumb": Feature(
        "Arm's Thumb instructions: in assembly, sums in more registers than a compiler finds"
    ),
    "dsp": Feature(
        "Arm's DSP extension: two 16-bit products a multiply-accumulate",
        "a Cortex-M with the DSP extension",
        "defined __ARM_FEATURE_DSP",
    ),
    "mve": Feature(
        "Arm's Helium: vectors of sixteen bytes",
        "a Cortex-M with Helium",
        "defined __ARM_FEATURE_MVE",
    ),
    "riscv": Feature(
        "RISC-V of 32 bits with a multiplier and all registers",
        "an RV32 with multiplication",
        "defined __riscv_mul && __riscv_xlen == 32 && !defined __riscv_32e",
    ),
    "flash_words": Feature(
        "constants can be loaded from flash as aligned words only; Xtensa instructions", *_XTENSA
    ),
    "mul16s": Feature("Xtensa's product of two signed numbers of 16 bits", *_XTENSA),
    "mac16": Feature("Xtensa's 40-bit accumulator of products of 16 bits (MAC16)", *_XTENSA),
    "multiply_64": Feature(
        "the product of two int32 as int64 takes a few cycles, not a library call"
    ),
}
"""Every feature that there is; of those that one part has, the last one says the most."""

INT_OF_32_BITS = Feature(
    "C's `int` holds more than 32,767",
    "a processor whose int has 32 bits",
    "(!defined __INT_MAX__ || __INT_MAX__ > 32767)",
)
"""What all C needs that is for a part with such an `int`."""

_INT_BITS = {"avr": 16}
"""Of C's `int`, where it is not 32."""

ARCHITECTURES = ("arm", "avr", "host", "riscv", "xtensa")
_REQUIRED = ("description", "architecture", "toolchain", "runner")


@dataclass(frozen=True)
class Target:
    """One microcontroller, or the host.

    `memory` and `clock_hz` are None for the host alone.  `test_memory` is the memory of the
    machine that runs test images, where that differs from the part itself.
    """

    name: str
    description: str
    like: str
    """The target whose core it has: the same C with the same flags, of which the other one's tests
    and figures tell; "" for one with tests and figures of its own."""
    folders: tuple[Path, ...]
    """Its own folder, then those of whom it is like and of its families, nearest first."""
    file_folders: tuple[Path, ...]
    """Those of them whose files it has: not of whom it is like."""
    architecture: str
    clock_hz: int | None
    features: frozenset[str]
    memory: Memory | None
    test_memory: Memory | None
    toolchain: Toolchain
    tools: tuple[Tool, ...]
    runner: RunnerConfig
    floors: Floors | None
    """The best known forms of kernels on its core."""
    cycles: Cycles | None
    """What its core's instructions take, where a manual says so and the runner does not know."""
    power: Power | None
    programmer: Programmer | None

    @property
    def int_max(self) -> int:
        """The greatest number that C's `int` holds."""
        return int(2 ** (_INT_BITS.get(self.architecture, 32) - 1)) - 1

    def file(self, name: str) -> Path | None:
        """The target's file `name`, its own or else its family's; None if nobody has one."""
        return _find_file(self.file_folders, name)

    @property
    def files(self) -> tuple[Path, ...]:
        """All files of its folders: what its firmware is built with lies there."""
        found = (file for folder in self.folders for file in folder.rglob("*") if file.is_file())
        return tuple(sorted(found))


HOST = "host"
"""The target that is this computer."""


def default_search() -> tuple[Path, ...]:
    """Where targets live: inside the installed package, or beside it in a checkout; nowhere where
    only the compiler itself was put, which is then given the folders."""
    package = Path(__file__).resolve().parents[1]
    folders = (package / "targets", package.parent / "targets")
    return tuple(folder for folder in folders if folder.is_dir())[:1]


def target_names(*, search: Sequence[Path] | None = None) -> tuple[str, ...]:
    """Every target that can be built for, sorted; families are left out."""
    folders = target_folders(search or default_search())
    return tuple(sorted(name for name, folder in folders.items() if not is_abstract(folder)))


def load_target(name: str, *, search: Sequence[Path] | None = None) -> Target:
    """Target `name`, inheritance resolved.  `search`: folders of target folders, first wins.

    Raises UsageError for an unknown target and a family, TargetError for a wrong target.toml.
    """
    folders = target_folders(search or default_search())
    table, lineage, file_folders = read_merged(name, folders)
    where = str(lineage[0] / FILE_NAME)
    if table.get("abstract", False):
        raise UsageError.at(name, "this is a family of targets", hint=_members(name, folders))
    require(table, _REQUIRED, where=where)
    _check_words(table, where=where)
    if table["architecture"] != "host":
        require(table, ("clock_hz", "memory"), where=where)
    runner = table["runner"]
    memory = _memory(table.get("memory"), where=where, key="memory")
    script = _find_file(file_folders, "link.ld")
    features = frozenset(table.get("features", ()))
    _check_regions(memory, runner, script, where=where)
    return Target(
        name=name,
        description=table["description"],
        like=table.get("like", ""),
        folders=lineage,
        file_folders=file_folders,
        architecture=table["architecture"],
        clock_hz=table.get("clock_hz"),
        features=features,
        memory=memory,
        test_memory=_memory(runner.get("memory"), where=where, key="runner.memory") or memory,
        toolchain=_toolchain(table["toolchain"], lineage, script, where=where),
        tools=read_tools(table),
        runner=read_runner(runner),
        floors=read_floors(table.get("floors"), features, where=where),
        cycles=read_cycles(
            table.get("cycles"), table.get("core"), table["architecture"], where=where
        ),
        power=read_power(table.get("power"), where=where),
        programmer=read_programmer(table.get("programmer"), where=where),
    )


def _members(family: str, folders: Mapping[str, Path]) -> str:
    members = [
        name
        for name, folder in sorted(folders.items())
        if not is_abstract(folder) and folders[family] in read_merged(name, folders).folders
    ]
    return f"choose a member: {', '.join(members)}" if members else ""


def _check_words(table: Mapping[str, Any], *, where: str) -> None:
    """Raise TargetError for a feature, an architecture or a runner that nobody knows."""
    runner = table["runner"]
    require(runner, ("kind",), where=where, prefix="runner.")
    words: list[tuple[str, str, tuple[str, ...]]]
    words = [("architecture", table["architecture"], ARCHITECTURES)]
    words += [("runner.kind", runner["kind"], tuple(RUNNER_KEYS))]
    words += [("features", feature, tuple(FEATURES)) for feature in table.get("features", ())]
    words += [("floors", core, tuple(FEATURES)) for core in table.get("floors", ())]
    for key, word, known in words:
        if word not in known:
            raise TargetError.at(
                where,
                f"'{key}' has '{word}', expected one of {', '.join(known)}",
                hint=did_you_mean(word, known),
            )
    require(runner, RUNNER_KEYS[runner["kind"]], where=where, prefix="runner.")


def _check_regions(
    memory: Memory | None, runner: Mapping[str, Any], script: Path | None, *, where: str
) -> None:
    """Raise TargetError for a further region that the linker script, or the runner, lacks, and for
    one that only the runner knows."""
    regions = memory.regions if memory else {}
    test, word_access = runner.get("memory"), runner.get("word_access", ())
    if test is not None:
        require(test, regions, where=where, prefix="runner.memory.")
    for name in word_access:
        if name not in ("flash", "ram", *regions):
            what = f"'runner.word_access' has '{name}', which is no region of 'memory'"
            raise TargetError.at(where, what, hint=did_you_mean(name, ("flash", "ram", *regions)))
    placed = re.findall(r"\*\(\.tinyml_(\w+)\)", script.read_text("utf-8") if script else "")
    for name in regions:
        if name not in placed:
            known = ", ".join(placed) or "none"
            what = f"'memory.{name}' is no region of the linker script, which has {known}"
            raise TargetError.at(where, what, hint=did_you_mean(name, placed))


def _memory(table: Mapping[str, Any] | None, *, where: str, key: str) -> Memory | None:
    if table is None:
        return None
    require(table, ("flash", "ram"), where=where, prefix=f"{key}.")
    for region in table:
        require(table[region], ("origin", "bytes"), where=where, prefix=f"{key}.{region}.")
    regions = {name: MemoryRegion(**table[name]) for name in sorted(table)}
    return Memory(flash=regions.pop("flash"), ram=regions.pop("ram"), regions=regions)


def _toolchain(
    table: Mapping[str, Any], folders: Sequence[Path], script: Path | None, *, where: str
) -> Toolchain:
    require(table, ("prefix",), where=where, prefix="toolchain.")
    prefix: str = table["prefix"]
    if prefix.startswith("./"):  # programs of the target's own
        compiler = _find_file(folders, f"{prefix}gcc")
        if compiler is None:
            raise TargetError.at(
                where, f"'toolchain.prefix' is '{prefix}', but there is no {prefix}gcc"
            )
        prefix = str(compiler).removesuffix("gcc")
    return Toolchain(
        prefix=prefix,
        compile_flags=tuple(table.get("compile_flags", ())),
        link_flags=tuple(table.get("link_flags", ())),
        link_script=script,
    )


def _find_file(folders: Sequence[Path], name: str) -> Path | None:
    candidates = (folder / name for folder in folders)
    return next((file for file in candidates if file.is_file()), None)
