"""The memories and the toolchain that a target.toml describes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tinyml_rules.errors import TargetError, did_you_mean
from tinyml_rules.target.require import require
from tinyml_rules.target.toolchain import Memory, MemoryRegion, Toolchain


def check_regions(
    memory: Memory | None, runner: Mapping[str, Any], script: Path | None, *, where: str
) -> None:
    """Raise TargetError for a further region that the linker script or the runner lacks, and for
    one that only the runner has."""
    regions = memory.regions if memory else {}
    test, word_access = runner.get("memory"), runner.get("word_access", ())
    if test is not None:
        require(test, regions, where=where, prefix="runner.memory.")
    for name in word_access:
        if name not in ("flash", "ram", *regions):
            what = f"'runner.word_access' has '{name}', which is not a region of 'memory'"
            raise TargetError.at(where, what, hint=did_you_mean(name, ("flash", "ram", *regions)))
    placed = re.findall(r"\*\(\.tinyml_(\w+)\)", script.read_text("utf-8") if script else "")
    for name in regions:
        if name not in placed:
            known = ", ".join(placed) or "none"
            what = f"'memory.{name}' is not a region of the linker script, which has {known}"
            raise TargetError.at(where, what, hint=did_you_mean(name, placed))


def read_memory(table: Mapping[str, Any] | None, *, where: str, key: str) -> Memory | None:
    """The table `memory`, or that of a runner's machine."""
    if table is None:
        return None
    require(table, ("flash", "ram"), where=where, prefix=f"{key}.")
    for region in table:
        require(table[region], ("origin", "bytes"), where=where, prefix=f"{key}.{region}.")
    regions = {name: MemoryRegion(**table[name]) for name in sorted(table)}
    return Memory(flash=regions.pop("flash"), ram=regions.pop("ram"), regions=regions)


def read_toolchain(
    table: Mapping[str, Any], folders: Sequence[Path], script: Path | None, *, where: str
) -> Toolchain:
    """The table `toolchain`, with programs in one of the `folders` if they are the target's own."""
    require(table, ("prefix",), where=where, prefix="toolchain.")
    prefix: str = table["prefix"]
    if prefix.startswith("./"):  # programs of the target's own
        compiler = find_file(folders, f"{prefix}gcc")
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


def find_file(folders: Sequence[Path], name: str) -> Path | None:
    """The file in the first folder that has it."""
    candidates = (folder / name for folder in folders)
    return next((file for file in candidates if file.is_file()), None)
