"""The marks of a profile: the account that counts from an instruction on, and the counts.

Generated code with marks has a section that is not loaded, of pairs of 32-bit words: the address of
an instruction, and the number of an account (ir/accounts.py).  Where several marks have the same
address, no instruction is between them and the last one counts.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

_SECTION = ".debug_tinyml_marks"
"""--gc-sections keeps unreferenced sections only if they have a name of debug information."""
_PAIR_BYTES = 8


@dataclass(frozen=True)
class Counts:
    """Count of one account in one call: cycles or instructions, and the number of runs of its step.
    A step in a stream has a run per turn.  `estimated_cycles` of the instructions are 0 if there is
    no table of cycles."""

    count: int
    runs: int
    estimated_cycles: int = 0


def read_marks(elf_file: Path) -> dict[int, int]:
    """{address as the linker counts them: account}; empty if the code has no marks."""
    return dict(every_mark(elf_file))


def every_mark(elf_file: Path) -> list[tuple[int, int]]:
    """(address, account) of each mark; several at one address in the order of the code."""
    with elf_file.open("rb") as file:
        elf = ELFFile(file)
        section = elf.get_section_by_name(_SECTION)
        if section is None:
            return []
        data, order = section.data(), "<" if elf.little_endian else ">"
    assert len(data) % _PAIR_BYTES == 0, "the section is made of pairs"
    return list(struct.iter_unpack(f"{order}II", data))


def write_marks(marks: Mapping[int, int], path: Path) -> None:
    """Write a line with address and account for each, for our programs around the emulators."""
    lines = (f"{address} {account}\n" for address, account in sorted(marks.items()))
    path.write_text("".join(lines), encoding="ascii", newline="\n")


@dataclass(frozen=True)
class Switch:
    """A change of the current account, at so many instructions or cycles of a call; the last switch
    of a call is its end."""

    account: int
    count: int
    estimated_cycles: int


def read_switches(path: Path) -> tuple[tuple[Switch, ...], ...]:
    """For each call, from the trace next to a file of marks."""
    text = path.with_name(f"{path.name}.trace").read_text(encoding="ascii")
    calls = text.split("call\n")[1:]
    return tuple(
        tuple(Switch(*map(int, line.split())) for line in call.splitlines()) for call in calls
    )


def parse_counts(words: Sequence[str]) -> tuple[Counts, ...]:
    """Counts by account, from the words COUNT:RUNS:CYCLES that such a program writes for one
    call."""
    return tuple(Counts(*map(int, word.split(":"))) for word in words)
