"""The job and the result of every runner, and the check of its program's exit status."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tinyml_rules.errors import ToolError
from tinyml_rules.runners.marks import Counts, Switch
from tinyml_rules.runners.watching import Watching
from tinyml_rules.target.target import Target

_WEIGHTS_NAME = "weights.bin"
_MARK_SYMBOL = "tinyml_mark"
_STACK_LIMIT_SYMBOL = "__stack_bottom"

_EXIT_MEANINGS = {
    65: "the input ends inside a sample",
    66: "the output could not be written",
}
"""Exit statuses of firmware/port.h other than crashes."""

_COLOUR = re.compile("\x1b\\[[0-9;]*m")
"""Colour codes in simavr's messages."""

_EXIT_FAULT = 70
"""Exit status after which the last line on standard error says what happened."""


@dataclass(frozen=True)
class Addresses:
    """Addresses of the image's landmarks, as the linker counts them."""

    invoke: int
    mark: int
    """The function that the image calls as soon as the model has returned."""
    stack_limit: int
    """The lowest address of the stack; 0 on the host."""


@dataclass(frozen=True)
class Job:
    """One run: `folder` is empty and its own, `cache` may be shared with other runs."""

    target: Target
    name: str
    elf: Path
    addresses: Addresses
    input_bytes: bytes
    timeout_s: float
    folder: Path
    cache: Path
    weights: Path | None = None
    """The file with external weights, which the memory outside flash contains."""
    marks: Mapping[int, int] = field(default_factory=dict)
    """{address: account} of an image with marks."""
    watching: Watching | None = None
    """The reads of an image with watches."""


@dataclass(frozen=True)
class RunResult:
    """The output of all samples, and the counts of each inference.

    `count_unit` of `counts`: exact `cycles`, or `instructions` if the emulator does not
    count cycles, or empty on the host.  `stack_bytes` is the deepest that an
    inference went below its caller's stack pointer, return address included.
    """

    output: bytes
    counts: tuple[int, ...]
    count_unit: str
    stack_bytes: int | None
    read_bytes: tuple[int, ...] = ()
    """Bytes of external weights read in each inference, if the emulator has a memory for them."""
    accounts: tuple[tuple[Counts, ...], ...] = ()
    """For each call, the counts of every account of an image with marks; they add up to
    `counts`."""
    switches: tuple[tuple[Switch, ...], ...] = ()
    """For each call of an image with marks, the times at which the current account changed."""
    estimated_cycles: tuple[int, ...] = ()
    """Estimated cycles of each inference, if a manual states the cycles of instructions."""
    records: bytes = b""
    """The memory read from an image with watches (watching.py)."""


def put_weights_file(job: Job) -> None:
    """Copy the weights to where an image reads them from a file."""
    if job.weights is not None:
        shutil.copyfile(job.weights, job.folder / _WEIGHTS_NAME)


def read_addresses(elf_file: Path, invoke_symbol: str) -> Addresses:
    """Look up the image's landmarks in its symbol table."""
    with elf_file.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection), "test images are never stripped"

        def address(symbol: str) -> int:
            found = table.get_symbol_by_name(symbol) or []
            if not found:
                raise ToolError.at(elf_file.name, f"the image has no symbol '{symbol}'")
            return int(found[0]["st_value"])

        has_limit = table.get_symbol_by_name(_STACK_LIMIT_SYMBOL) is not None
        return Addresses(
            invoke=address(invoke_symbol),
            mark=address(_MARK_SYMBOL),
            stack_limit=address(_STACK_LIMIT_SYMBOL) if has_limit else 0,
        )


def check_ended_well(job: Job, done: subprocess.CompletedProcess[bytes]) -> None:
    """Raise a ToolError that says how the run ended, unless its exit status is 0."""
    if done.returncode == 0:
        return
    where = f"{job.name} on {job.target.name}"
    if done.returncode < 0:
        raise ToolError.at(where, f"crashed: {signal.Signals(-done.returncode).name}")
    if done.returncode in _EXIT_MEANINGS:
        raise ToolError.at(where, _EXIT_MEANINGS[done.returncode])
    lines = _COLOUR.sub("", done.stderr.decode(errors="replace")).strip().splitlines()
    if done.returncode == _EXIT_FAULT and lines:
        raise ToolError.at(where, lines[-1])  # an emulator may have warned before
    ending = f"ended with exit status {done.returncode}"
    raise ToolError.at(where, ": ".join([ending, *lines]))
