"""A target: processor, memory, toolchain and runner, read from its folder `targets/<name>/`.

Runs nothing.  Standard library only: the set-up wrapper imports this before any package is
installed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from tinyml_rules.errors import Note, TargetError, UsageError, did_you_mean
from tinyml_rules.ir.features import FEATURES, Feature
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
from tinyml_rules.target.file import FILE_NAME, is_abstract, read_merged, target_folders
from tinyml_rules.target.floors import Floors, read_floors
from tinyml_rules.target.keys import ARCHITECTURES
from tinyml_rules.target.machine import check_regions, find_file, read_memory, read_toolchain
from tinyml_rules.target.part_table import (
    Part,
    core_without_target,
    find_part,
    hint_for,
    name_with,
    plain_name,
)
from tinyml_rules.target.require import require
from tinyml_rules.target.toolchain import Memory, Toolchain

_INT_BITS = {"avr": 16}
"""Bits of C's `int`, if not 32."""

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
    """The target whose core it has: the same C with the same flags, so that its tests and figures
    are valid here too; "" for a target with tests and figures of its own."""
    folders: tuple[Path, ...]
    """Its own folder, then those of the target it is like and of its families, nearest first."""
    file_folders: tuple[Path, ...]
    """Those of them whose files it has: not that of the target it is like."""
    architecture: str
    clock_hz: int | None
    features: frozenset[Feature]
    memory: Memory | None
    test_memory: Memory | None
    toolchain: Toolchain
    tools: tuple[Tool, ...]
    runner: RunnerConfig
    floors: Floors | None
    """The cost of the best known kernels on its core."""
    cycles: Cycles | None
    """The cycles of its core's instructions, if a manual states them and the runner does not count
    cycles."""
    power: Power | None
    programmer: Programmer | None
    part: Part | None = None
    """The part that the user named, or whose board the user named, if it is not a target."""

    @property
    def int_max(self) -> int:
        """The largest value of C's `int`."""
        return int(2 ** (_INT_BITS.get(self.architecture, 32) - 1)) - 1

    def file(self, name: str) -> Path | None:
        """The target's file `name`, its own or else its family's; None if there is none."""
        return find_file(self.file_folders, name)

    @property
    def files(self) -> tuple[Path, ...]:
        """All files of its folders, from which its firmware is built."""
        found = (file for folder in self.folders for file in folder.rglob("*") if file.is_file())
        return tuple(sorted(found))


HOST = "host"
"""The target that is this computer."""


class Unchosen(str):
    """The default of a setting that the user has not set."""

    __slots__ = ()


def default_search() -> tuple[Path, ...]:
    """The folder of targets: inside the installed package, or next to it in a checkout; none if
    only the compiler was installed, which then gets its folders as arguments."""
    package = Path(__file__).resolve().parents[1]
    folders = (package / "targets", package.parent / "targets")
    return tuple(folder for folder in folders if folder.is_dir())[:1]


def target_names(*, search: Sequence[Path] | None = None) -> tuple[str, ...]:
    """Every target that can be built for, sorted; families are left out."""
    folders = target_folders(search or default_search())
    return tuple(sorted(name for name, folder in folders.items() if not is_abstract(folder)))


def load_target(name: str, *, search: Sequence[Path] | None = None) -> Target:
    """Target `name`, inheritance resolved.  `search`: folders of target folders, first wins.

    The name may also be that of a part or a board of the tables: it becomes a target that is like
    the part's, with the part's memories and clock.  Raises UsageError for an unknown name and a
    family, TargetError for a wrong target.toml.
    """
    folders = target_folders(search or default_search())
    word = name if name in folders else plain_name(name)
    part = None if word in folders else find_part(word)
    if part is not None and part.target in folders:
        return _of_part(_load(part.target, folders), part, name_with(part, word))
    if word not in folders:
        _refuse_unknown(name, folders)
    return _load(word, folders)


def part_notes(target: Target) -> tuple[Note, ...]:
    """Notes about the target that is used if its name is that of a part or a board."""
    part = target.part
    if part is None:
        return ()
    which = "" if part.name in (target.name, part.target) else f"its {part.name} is "
    what = (
        f"{which}compiled for as {part.target} ({part.core}), with {part.flash_bytes:,} bytes of "
        f"flash and {part.ram_bytes:,} of RAM"
    )
    return (Note(target.name, what),)


def _of_part(base: Target, part: Part, name: str) -> Target:
    """The core of `base` in another part.  What is said of `base` as a product is true of the part
    only if it is the same product with another memory, or in another package."""
    assert base.memory is not None, "only what has memories is in the table"
    is_same = part.name.startswith(base.name)
    memory = replace(
        base.memory,
        flash=replace(base.memory.flash, bytes=part.flash_bytes),
        ram=replace(base.memory.ram, bytes=part.ram_bytes),
        regions=base.memory.regions if is_same else {},
    )
    own_files = base.file_folders if is_same else base.file_folders[1:]
    clock_hz = part.clock_hz or base.clock_hz
    return replace(
        base,
        name=name,
        description=f"{part.name} ({part.core})",
        like=base.like or base.name,
        file_folders=own_files,
        clock_hz=clock_hz,
        memory=memory,
        power=base.power if is_same and clock_hz == base.clock_hz else None,
        programmer=base.programmer if is_same else None,
        part=part,
    )


def _refuse_unknown(name: str, folders: Mapping[str, Path]) -> NoReturn:
    """Raise the UsageError for a name that is in no table, or that of a core without a target."""
    core = core_without_target(name)
    if core:
        what = f"no target has its core, {core}"
        hint = (
            "`--target host` makes portable C for processors whose int has 32 bits; "
            "docs/how-to/own_target.md shows how to add a target"
        )
        raise UsageError.at(name, what, hint=hint)
    members = sorted(each for each, folder in folders.items() if not is_abstract(folder))
    what = f"unknown target '{name}', expected one of {', '.join(members) or '(none found)'}"
    hint = hint_for(name, members)
    raise UsageError.at(name or "target", what, hint=hint or _WHERE_CORES)


_WHERE_CORES = (
    "the name of a part or a board is taken as well; docs/reference/parts.md says which target has "
    "the core of which part"
)


def _load(name: str, folders: Mapping[str, Path]) -> Target:
    """A target that has a folder."""
    table, lineage, file_folders = read_merged(name, folders)
    where = str(lineage[0] / FILE_NAME)
    if table.get("abstract", False):
        raise UsageError.at(name, "this is a family of targets", hint=_members(name, folders))
    require(table, _REQUIRED, where=where)
    _check_words(table, where=where)
    if table["architecture"] != "host":
        require(table, ("clock_hz", "memory"), where=where)
    if table.get("clock_hz") == 0:
        raise TargetError.at(where, "'clock_hz' is 0, expected a number above 0")
    runner = table["runner"]
    memory = read_memory(table.get("memory"), where=where, key="memory")
    script = find_file(file_folders, "link.ld")
    features = frozenset(map(Feature, table.get("features", ())))
    check_regions(memory, runner, script, where=where)
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
        test_memory=read_memory(runner.get("memory"), where=where, key="runner.memory") or memory,
        toolchain=read_toolchain(table["toolchain"], lineage, script, where=where),
        tools=read_tools(table),
        runner=read_runner(runner),
        floors=read_floors(table.get("floors"), features, where=where),
        cycles=read_cycles(
            table.get("cycles"), table.get("core"), table["architecture"], where=where
        ),
        power=read_power(table.get("power"), table.get("clock_hz"), where=where),
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
    """Raise TargetError for an unknown feature, architecture or runner."""
    runner = table["runner"]
    require(runner, ("kind",), where=where, prefix="runner.")
    words: list[tuple[str, str, tuple[str, ...]]]
    words = [("architecture", table["architecture"], tuple(ARCHITECTURES))]
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
