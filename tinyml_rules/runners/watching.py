"""The bytes that a runner reads at each mark of an image, and the tensors made of them.

The code of such an image has marks (marks.py): account 0 where an inference begins, and each step's
own where the step ends, any number of them at one address.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tinyml_rules.errors import ToolError
from tinyml_rules.ir.accounts import BETWEEN
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.watch import Watch

_HEADER_BYTES = 4
_LANDMARK = "tinyml_mark"
"""A function whose address shows where a host's program was loaded."""


@dataclass(frozen=True)
class Spot:
    """The bytes to read at the marks of an account: none at the start of an inference."""

    account: int
    address: int = 0
    row_bytes: int = 0
    ends: int = 1
    first: int = 0
    capacity: int = 1
    slot_bytes: int = 0


@dataclass(frozen=True)
class Watching:
    """The spots, the first of them where an inference begins, and the (address, spot) of each mark
    in the order in which they are passed; on a host, whose code calls a function, there are none.
    """

    spots: tuple[Spot, ...]
    passes: tuple[tuple[int, int], ...]
    landmark: int

    def write(self, path: Path) -> None:
        """Write the file for our programs around the emulators (watches.h): LANDMARK SPOTS, then a
        line for each spot, then one for each mark."""
        lines = [f"{self.landmark} {len(self.spots)}"]
        lines += [
            f"{each.account} {each.address} {each.row_bytes} {each.ends} {each.first} "
            f"{each.capacity} {each.slot_bytes}"
            for each in self.spots
        ]
        lines += [f"{address} {spot}" for address, spot in self.passes]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="ascii", newline="\n")


def watching_of(
    elf_file: Path,
    watches: Sequence[Watch],
    marks: Sequence[tuple[int, int]],
    *,
    data_origin: int = 0,
    mode_bit: int = 0,
) -> Watching:
    """The watches of an image with `marks`.

    `data_origin` is what the linker adds to addresses of data; `mode_bit` what an address of code
    may have set that is no part of it.
    """
    symbols = _symbols(elf_file)
    for watch in watches:
        if watch.symbol not in symbols:
            raise ToolError.at(elf_file.name, f"the image has no symbol '{watch.symbol}'")
    spots = (
        Spot(BETWEEN),
        *(
            Spot(
                watch.account,
                symbols[watch.symbol] - data_origin + watch.offset,
                watch.row_bytes,
                watch.ends,
                watch.first,
                watch.capacity,
                watch.row_bytes + watch.gap_bytes,
            )
            for watch in watches
        ),
    )
    passes = tuple(
        (address & ~mode_bit, number)
        for address, account in sorted(marks, key=lambda mark: mark[0])
        for number, spot in enumerate(spots)
        if spot.account == account
    )
    return Watching(spots, passes, symbols[_LANDMARK])


def _symbols(elf_file: Path) -> dict[str, int]:
    with elf_file.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection), "test images are never stripped"
        return {each.name: int(each["st_value"]) for each in table.iter_symbols()}


class Recorder:
    """Counts how often each spot is passed, and returns the bytes to read then."""

    def __init__(self, watching: Watching) -> None:
        self._spots = watching.spots
        self._counts = [0] * len(watching.spots)

    def passed(self, number: int) -> tuple[int, int] | None:
        """(address, bytes) to read at a mark of this spot; no bytes at the start of an inference,
        and None if there is nothing to read yet."""
        spot = self._spots[number]
        if number == 0:
            self._counts = [0] * len(self._spots)
            return 0, 0
        row = self._counts[number] % spot.ends - spot.first
        self._counts[number] += 1
        if row < 0:
            return None
        return spot.address + row % spot.capacity * spot.slot_bytes, spot.row_bytes


def record(number: int, data: bytes) -> bytes:
    """The record of a read at a spot, as runners write it."""
    return number.to_bytes(_HEADER_BYTES, "little") + data


def recorded(records: bytes, watches: Sequence[Watch]) -> list[Mapping[int, Array]]:
    """For each inference the values of the watches that were read, by their position; of one that
    was read several times, as in a loop, the last ones."""
    found: list[dict[int, bytearray]] = []
    place = 0
    while place < len(records):
        number = int.from_bytes(records[place : place + _HEADER_BYTES], "little")
        place += _HEADER_BYTES
        if number == 0:
            found.append({})
            continue
        watch = watches[number - 1]
        data = found[-1].setdefault(number - 1, bytearray())
        if len(data) == watch.size_bytes:
            data.clear()
        data += records[place : place + watch.row_bytes]
        place += watch.row_bytes
    return [
        {number: _values(watches[number], data) for number, data in each.items()} for each in found
    ]


def _values(watch: Watch, data: bytearray) -> Array:
    """The bytes as the tensor's elements; those of a stream that ended early are incomplete."""
    tensor = watch.tensor
    assert tensor.dtype.numpy is not None, "it has elements in memory"
    return np.frombuffer(bytes(data), tensor.dtype.numpy).reshape(tensor.shape)
