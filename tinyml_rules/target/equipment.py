"""The equipment of a target: tools, runner, programmer, and the power that the part draws.

Standard library only, like `target.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tinyml_rules.errors import TargetError, did_you_mean
from tinyml_rules.target.file import require

PROGRAM_FORMATS: Mapping[str, str] = {
    "bin": "bin",
    "elf": "elf",
    "esp8266": "bin",
    "hex": "hex",
    "uf2": "uf2",
}
"""Every format of a program file, and what its name ends in."""
RUNNER_KEYS: Mapping[str, tuple[str, ...]] = {
    "host": (),
    "simavr": ("machine",),
    "qemu": ("program", "machine"),
}
"""Every kind of runner and the keys that it needs."""
RUNNER_COUNTS: Mapping[str, str] = {"host": "", "simavr": "cycles", "qemu": "instructions"}
"""What each knows of an inference: the part's exact cycles, instructions, or nothing."""


@dataclass(frozen=True)
class Tool:
    """A program (`avr-gcc`) or C header (`libelf.h`) that a target needs, and what brings it."""

    program: str
    package: str
    """Of Debian and Ubuntu; empty where they have none."""
    wheel: str = ""
    """Of PyPI, where one has the program: what pip installs, without root."""
    is_for_runs: bool = False
    """Whether a firmware is built without it."""
    vendor: str = ""
    """Who else has it, and where, if no package has."""


@dataclass(frozen=True)
class RunnerConfig:
    """What executes a test image: `kind` names the module in `runners/`, the rest is its own."""

    kind: str
    program: str
    machine: str
    cpu: str = ""
    """qemu: the processor, where a machine can have several."""
    arguments: tuple[str, ...] = ()
    """qemu: further words of its command line."""
    select: str = ""
    """simavr: the pin that selects the emulated memory of external weights, such as B2."""
    word_access: tuple[str, ...] = ()
    """qemu: the memory regions from which the part loads aligned words only; no emulator knows."""


@dataclass(frozen=True)
class Power:
    """What the part typically draws while it computes, in milliwatts, and who says so."""

    active_mw: float
    source: str


@dataclass(frozen=True)
class Programmer:
    """What writes a firmware to a board: `program` with the words of `command`, in which {file}
    and {port} are filled in."""

    program: str
    command: tuple[str, ...]
    format: str
    """Of the file: one of PROGRAM_FORMATS."""
    family: int = 0
    """uf2: the number of the parts that may take the file."""
    port: str = ""
    """An example of {port}, for the hint to users who left it out."""
    package: str = ""
    """Of Debian and Ubuntu, or else `wheel` of PyPI: what brings the program.  No build needs it,
    so nobody installs it unasked."""
    wheel: str = ""


def read_tools(table: Mapping[str, Any]) -> tuple[Tool, ...]:
    """Of a whole target.toml: packages, those of the runner, and what only a vendor has."""
    wheels = table.get("wheels", {})
    vendors = table.get("vendor_tools", {})
    return (
        *(
            Tool(program, package, wheels.get(program, ""), is_for_runs)
            for packages, is_for_runs in (
                (table.get("packages", {}), False),
                (table["runner"].get("packages", {}), True),
            )
            for program, package in packages.items()
        ),
        *(Tool(program, package="", vendor=vendor) for program, vendor in vendors.items()),
    )


def read_runner(table: Mapping[str, Any]) -> RunnerConfig:
    """Of the table `runner`, whose keys have been checked."""
    words = {key: table[key] for key in ("program", "machine", "cpu", "select") if key in table}
    words = {"program": "", "machine": "", **words}
    return RunnerConfig(
        kind=table["kind"],
        arguments=tuple(table.get("arguments", ())),
        word_access=tuple(table.get("word_access", ())),
        **words,
    )


def read_power(table: Mapping[str, Any] | None, *, where: str) -> Power | None:
    """Of the table `power`; raises TargetError for a missing key."""
    if table is None:
        return None
    require(table, ("active_mw", "source"), where=where, prefix="power.")
    return Power(active_mw=float(table["active_mw"]), source=table["source"])


def read_programmer(table: Mapping[str, Any] | None, *, where: str) -> Programmer | None:
    """Of the table `programmer`; raises TargetError for a missing key or an unknown format."""
    if table is None:
        return None
    needed = ["program", "format", "command"]
    needed += ["package"] if "wheel" not in table else []
    needed += ["family"] if table.get("format") == "uf2" else []
    needed += ["port"] if any("{port}" in word for word in table.get("command", ())) else []
    require(table, needed, where=where, prefix="programmer.")
    if table["format"] not in PROGRAM_FORMATS:
        known = ", ".join(PROGRAM_FORMATS)
        what = f"'programmer.format' has '{table['format']}', expected one of {known}"
        raise TargetError.at(where, what, hint=did_you_mean(table["format"], PROGRAM_FORMATS))
    return Programmer(**{**table, "command": tuple(table["command"])})
