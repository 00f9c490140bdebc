"""Each piece that sums equals numpy, alone and on its emulator: at the ends of int8, at random, and
with every weight of eight bits next to every value, of 16 bits and of Rice codes next to some.

One program a target has all of its pieces and the weights of all records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.cores.piece import Numbers, Piece
from tests.cores.pieces_alone import PIECES
from tests.support.combined import ONLY_PIECES, SANITIZED, target_or_skip, targets_of_each_kind
from tests.support.pieces import build_around_pieces
from tinyml_rules.cores import core_of, qualifiers_of
from tinyml_rules.emit.rice import RiceUse
from tinyml_rules.emit.runtime import all_pieces
from tinyml_rules.runners import run_image

MAIN = Path(__file__).with_name("pieces_alone_main.c.j2")
TARGETS = (SANITIZED, *(name for name in targets_of_each_kind() if name != "host"))
MOST = 1540
"""Bytes of values: two vectors of 770, which fit 2 kB of RAM."""
MOST_OUTPUTS = 12
"""Of a piece."""
ENDS = ((-128, -128), (-128, 127), (127, -128), (127, 127), (0, -128), ((-128, 127), (127, -128)))
"""Of weights and of values, all the same or by turns."""
AT_ENDS = {*range(1, 10), 15, 16, 17, 31, 32, 33}
"""Counts for which these are tried; beyond 40 all are."""
BIASES = (0, -1, 0xFFFF, -0x10000, 0xFFFFFF, -0x1000000, 2**30, -(2**30))
"""At the ends of a sum's bytes."""
_AROUND = (-32768, -256, -128, 0, 127, 255, 256, 32767)
EVERY = {
    "int8": range(-128, 128),
    "int16": sorted({min(max(end + by, -32768), 32767) for end in _AROUND for by in (-1, 0, 1)}),
}
"""Values that each weight is next to: with those of 16 bits it would be 16 million products."""
SUMMING = re.compile(
    r"products|dot_product|sums_of|word_sums|nibble_sums|channel_(?:pairs|fours)|(?:pair|nibble)_channels"
)
ELSEWHERE = re.compile(
    r"page_|pair_products_of_block|.*_far|channel_|(?:pair|nibble)_channels|real_|winograd_"
    r"|sums_of_tables"
)
"""Those that read pages of weights outside flash, the block that pair_products walks over, weights
above 64 kB by the template of those below, what requantizes its sums itself, sums of float32
(`tests/ops/test_real_fours.py`), products of weights that are transformed, and sums without any:
the operators' cases run them."""


@dataclass(frozen=True)
class Record:
    """A call of a piece, and the sums that are to come out."""

    piece: Piece
    weights: Numbers
    values: Numbers
    bias: Numbers

    @property
    def expected(self) -> Numbers:
        """By output, of each the pixels."""
        sums = self.weights.astype(np.int64) @ self.values.T.astype(np.int64)
        if self.piece.of_its_own:
            sums = np.diagonal(sums)[:, None]
        return np.asarray(self.bias[:, None] + sums).reshape(-1)

    @property
    def sent(self) -> bytes:
        """The values, as the program reads them."""
        values = self.values.T if self.piece.of_its_own else self.values
        weights = self.weights if self.piece.in_ram else np.empty(0, np.int8)
        return b"".join(np.ascontiguousarray(each).tobytes() for each in (values, weights))


def records_of(piece: Piece) -> Iterator[Record]:
    """All counts at random, some of them with all ends."""
    for count in piece.counts:
        pairs = ENDS if count in AT_ENDS or count > max(AT_ENDS) + 7 else ()
        for number, (weights, values) in enumerate((*pairs, (None, None))):
            rows = _filled(values, (piece.pixels, count), piece.value, seed=1)
            matrix = _filled(weights, (piece.outputs, count), seed=2)
            matrix = np.clip(matrix, piece.least, -piece.least - 1)
            if not piece.fits(matrix):
                matrix = np.maximum(matrix, -127)
            bias = np.resize(np.roll(BIASES, count + number), piece.outputs)
            yield Record(piece, matrix, rows, bias)


def every_pair(piece: Piece) -> Iterator[Record]:
    """Sums in which each weight meets each value that it has to, for all outputs and pixels; none
    of pieces that take only a few values at a time."""
    count = max(each for each in piece.counts if each <= 256)
    if count < 40 and not piece.met:
        return
    weights, values = np.arange(-128, 128), np.array(piece.met or EVERY[piece.value])
    for first in range(0, 256, count):
        places = first + np.arange(count) + 37 * np.arange(piece.outputs)[:, None]
        matrix = np.clip(weights[places % 256], piece.least, -piece.least - 1)
        if not piece.fits(matrix):
            matrix = np.maximum(matrix, -127)
        for turn in range(len(values)):
            its = turn + np.arange(count) + 64 * np.arange(piece.pixels)[:, None]
            rows = values[its % len(values)].astype(piece.value)
            yield Record(piece, matrix.astype(np.int8), rows, np.resize(BIASES, piece.outputs))


def _filled(
    value: int | tuple[int, int] | None,
    shape: tuple[int, int],
    dtype: str = "int8",
    *,
    seed: int,
) -> Numbers:
    """With this or these, at the ends of int8, at the same of a type; or at random."""
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    if value is None:
        return np.random.default_rng(seed).integers(least, most + 1, shape).astype(dtype)
    ends = [{-128: least, 127: most}.get(each, each) for each in np.atleast_1d(value).tolist()]
    return np.resize(np.array(ends, dtype), shape)


def packed(records: list[Record]) -> tuple[bytes, list[int]]:
    """The weights of all, and where each begins: within those of longer ones where they are alike,
    at any place where a piece takes any."""
    table, places = bytearray(), [0] * len(records)
    data = [b"" if each.piece.in_ram else bytes(each.piece.pack(each.weights)) for each in records]
    for number in sorted(range(len(records)), key=lambda number: -len(data[number])):
        is_word = records[number].piece.word_of_weights
        places[number] = table.find(data[number])
        if places[number] < 0 or (is_word and places[number] % 4):
            table += bytes(-len(table) % 4 if is_word else 0)
            places[number] = len(table)
            table += data[number]
    return bytes(table) + bytes(4), places


def input_of(records: list[Record], places: list[int], pieces: list[Piece]) -> bytes:
    """What the program reads; values begin at every place within a word that their type allows."""
    data = bytearray()
    for number, (record, place) in enumerate(zip(records, places, strict=True)):
        piece, sent = record.piece, record.sent or b"0"
        bias = np.zeros(MOST_OUTPUTS, np.int64)
        bias[: piece.outputs] = piece.biased(record.weights, record.bias)
        count, size = record.values.shape[1], record.values.itemsize
        at = number % 4 // size * size
        head = (pieces.index(piece), place, count, piece.more, at, len(sent), len(record.expected))
        data += np.array([*head, *bias], "<i4").tobytes() + sent
    return bytes(data)


@pytest.mark.parametrize("target_name", TARGETS)
def test_sums(target_name: str, tmp_path: Path) -> None:
    """Of every piece that its core has, or that all have."""
    target = target_or_skip(target_name)
    core = core_of(target.features - ONLY_PIECES).name  # on which others build
    flash = qualifiers_of(target.features).flash
    pieces = [each for each in PIECES if not each.cores or core in each.cores]
    records = [each for one in pieces for each in (*records_of(one), *every_pair(one))]
    table, places = packed(records)
    image = build_around_pieces(
        target,
        tmp_path,
        main=MAIN,
        pieces=[name for piece in pieces for name in (piece.name, *piece.pieces)],
        calls=[piece.call.replace("FLASH ", flash) for piece in pieces],
        rice=RiceUse(tuple(range(8)), has_last=True),
        table=list(table),
        flash=flash,
        most=MOST,
        most_outputs=MOST_OUTPUTS,
    )
    result = run_image(
        target, image, input_of(records, places, pieces), invoke_symbol="apply", timeout_s=120
    )
    found = np.frombuffer(result.output, "<i4")
    place = 0
    for record in records:
        sums = found[place : place + len(record.expected)]
        where = f"{record.piece.name} of {record.values.shape[1]}"
        np.testing.assert_array_equal(sums, record.expected, where)
        place += len(sums)
    assert place == len(found)


def test_every_piece_that_sums() -> None:
    """It is called here, or run elsewhere."""
    called = {name for piece in PIECES for name in (piece.name, *piece.pieces)}
    summing = {name for name in all_pieces() if SUMMING.search(name)}
    assert {name for name in summing if not ELSEWHERE.match(name)} <= called
