"""The equipment of a target: tools, runner, programmer, and the power that the part draws.

Standard library only, like `target.py`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tinyml_rules.errors import TargetError, did_you_mean
from tinyml_rules.target.require import require

PROGRAM_FORMATS: Mapping[str, str] = {
    "bin": "bin",
    "elf": "elf",
    "esp8266": "bin",
    "hex": "hex",
    "uf2": "uf2",
}
"""Every format of a program file, and the ending of its name."""
RUNNER_KEYS: Mapping[str, tuple[str, ...]] = {
    "host": (),
    "simavr": ("machine",),
    "qemu": ("program", "machine"),
}
"""Every kind of runner and the keys that it needs."""
RUNNERS: Mapping[str, str] = {
    "host": "this computer",
    "simavr": "simavr, for AVR",
    "qemu": "QEMU",
}
"""What each is."""
RUNNER_COUNTS: Mapping[str, str] = {"host": "", "simavr": "cycles", "qemu": "instructions"}
"""What each counts in an inference: the part's exact cycles, instructions, or nothing."""


@dataclass(frozen=True)
class Tool:
    """A program (`avr-gcc`) or C header (`libelf.h`) that a target needs, and the package with
    it."""

    program: str
    package: str
    """The package of Debian and Ubuntu; empty if there is none."""
    wheel: str = ""
    """The package on PyPI with the program, if there is one: pip installs it without root."""
    is_for_runs: bool = False
    """Whether it is needed only to run a firmware, not to build one."""
    vendor: str = ""
    """The vendor that has it, and where, if no package does."""


@dataclass(frozen=True)
class RunnerConfig:
    """The program that runs a test image: `kind` names the module in `runners/`, which reads the
    rest."""

    kind: str
    program: str
    machine: str
    cpu: str = ""
    """qemu: the processor, if a machine can have several."""
    arguments: tuple[str, ...] = ()
    """qemu: further arguments of its command line."""
    select: str = ""
    """simavr: the pin that selects the emulated memory of external weights, such as B2."""
    word_access: tuple[str, ...] = ()
    """qemu: memory regions from which the part loads aligned words only, unlike its emulator."""


@dataclass(frozen=True)
class Power:
    """What the part typically draws by its data sheet: `active_ma` while it computes at the
    target's clock with `volts` of supply, `sleep_ua` in a sleep from which it goes on; None where
    that is not known.  The sources name the data sheet, its table and the conditions."""

    volts: float
    active_ma: float
    source: str
    sleep_ua: float | None = None
    sleep_source: str = ""

    @property
    def active_mw(self) -> float:
        """The power while it computes, in milliwatts."""
        return round(self.volts * self.active_ma, 9)

    def microjoules(self, milliseconds: float) -> float:
        """The energy of computing for so long."""
        return round(milliseconds * self.active_mw, 8)


@dataclass(frozen=True)
class Programmer:
    """The program that writes a firmware to a board: `program` with the arguments `command`, in
    which {file} and {port} are replaced."""

    program: str
    command: tuple[str, ...]
    format: str
    """The format of the file: one of PROGRAM_FORMATS."""
    family: int = 0
    """uf2: the number of the family of parts that accept the file."""
    port: str = ""
    """An example of {port}, for the hint to users who left it out."""
    package: str = ""
    """The package of Debian and Ubuntu with the program, or else `wheel` on PyPI.  No build needs
    it, so it is never installed automatically."""
    wheel: str = ""


def read_tools(table: Mapping[str, Any]) -> tuple[Tool, ...]:
    """The tools of a whole target.toml: of packages, of the runner's packages, and of vendors."""
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
    """The record of the table `runner`, whose keys have been checked."""
    words = {key: table[key] for key in ("program", "machine", "cpu", "select") if key in table}
    words = {"program": "", "machine": "", **words}
    return RunnerConfig(
        kind=table["kind"],
        arguments=tuple(table.get("arguments", ())),
        word_access=tuple(table.get("word_access", ())),
        **words,
    )


def read_power(
    table: Mapping[str, Any] | None, clock_hz: int | None, *, where: str
) -> Power | None:
    """The record of the table `power`; raises TargetError for a missing key and for a figure that
    is not above 0.  A current at another clock than the target's is taken in proportion to it."""
    if table is None:
        return None
    needed = ["volts", "active_ma", "source"]
    needed += ["sleep_source"] if "sleep_ua" in table else []
    require(table, needed, where=where, prefix="power.")
    for figure, value in table.items():
        if not isinstance(value, str) and not 0 < value < math.inf:
            what = f"'power.{figure}' is {value}, expected a number above 0"
            raise TargetError.at(where, what)
    scale = 1 if clock_hz is None else clock_hz / table.get("clock_hz", clock_hz)
    return Power(
        volts=float(table["volts"]),
        active_ma=round(table["active_ma"] * scale, 9),
        source=table["source"],
        sleep_ua=float(table["sleep_ua"]) if "sleep_ua" in table else None,
        sleep_source=table.get("sleep_source", ""),
    )


def read_programmer(table: Mapping[str, Any] | None, *, where: str) -> Programmer | None:
    """The record of the table `programmer`; raises TargetError for a missing key or an unknown
    format."""
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
