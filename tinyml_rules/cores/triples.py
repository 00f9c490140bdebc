"""Three sums in two products of 32 bits, for cores that have no instruction for several.

Of the weights A, B and C of three outputs there are two words,

    A + 2^21 * B    and    C + 2^11 * B    (modulo 2^32),

whose sums S and T over the values x have all three sums in them: that of x * A is the signed number
in the lower 21 bits of S, and taking it off leaves what of the sum of x * B is in T below 2^22, so
that T has the sum of x * C, and without that the one of x * B.  Exact where the first two are below
2^20 in size and the third is below 2^21; so are the sums of 63 values at least, and of as many more
as the weights let (`values_of_a_part`).

Words are for some outputs after the other, a block, and in the last one for those that are left.  A
block with fewer outputs has half as many words where they are enough for it, and triples of its
first outputs only as far as there are more outputs than words; each of the others has a word of its
own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import wrap_int32
from tinyml_rules.cores.order import Order
from tinyml_rules.cores.tile import Tile
from tinyml_rules.ir.features import OF_SOME_WEIGHTS, Feature
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.sum_conditions import Ask
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ir.words import Variant

Int64Array = npt.NDArray[np.int64]

UPPER = 21
"""The bit of a triple's first word from which on it has the second output."""
MIDDLE = 11
"""The same of its second word."""
_SIZES = (2**20, 2**20, 2**21)
"""The sums of the outputs of a triple are below these in size."""


@dataclass(frozen=True)
class Block:
    """Outputs of a block, and how their words are made up."""

    words: int
    triples: int


def block_of(outputs: int, most: int) -> Block:
    """That of so many outputs, where a whole one has `most`."""
    words = most // 3 * 2 if 2 * outputs > most else most // 3
    return Block(words, max(0, outputs - words))


def in_triples(matrix: Array, most: int) -> npt.NDArray[np.uint32]:
    """int8 weights [outputs][inputs] as words: block after block of `most` outputs, of each the
    words of the first input, then those of the second, and so on."""
    parts = []
    for first in range(0, len(matrix), most):
        rows = matrix[first : first + most].astype(np.int64)
        block = block_of(len(rows), most)
        a, b, c = rows[: 3 * block.triples].reshape(-1, 3, rows.shape[1]).transpose(1, 0, 2)
        pairs = np.stack([a + (b << UPPER), c + (b << MIDDLE)], 1)
        columns = np.concatenate([pairs.reshape(-1, rows.shape[1]), rows[3 * block.triples :]])
        parts.append(np.pad(columns, ((0, block.words - len(columns)), (0, 0))).T.ravel())
    return (np.concatenate(parts) & 0xFFFFFFFF).astype(np.uint32)


def from_triples(data: Array, outputs: int, inputs: int, most: int) -> npt.NDArray[np.int8]:
    """Back again: weights [outputs][inputs]."""
    words, found = data.astype(np.int64), []
    for first in range(0, outputs, most):
        left = min(most, outputs - first)
        block = block_of(left, most)
        columns = words[: block.words * inputs].reshape(inputs, block.words).T
        words = words[block.words * inputs :]
        for one, other in columns[: 2 * block.triples].reshape(-1, 2, inputs):
            a = _signed(one, UPPER)
            c = _signed((other << (UPPER - MIDDLE)) - (one - a), 32) >> (UPPER - MIDDLE)
            found += [a, _signed(other - c, 32) >> MIDDLE, c]
        found += list(_signed(columns[2 * block.triples :], 32)[: left - 3 * block.triples])
    return np.array(found, np.int8)


def _signed(numbers: Int64Array, bits: int) -> Int64Array:
    """The signed numbers in so many lower bits."""
    half = 1 << (bits - 1)
    return ((numbers + half) & ((1 << bits) - 1)) - half


def triples_of(most: int) -> Order:
    """The order of blocks of so many outputs."""
    return Order(partial(in_triples, most=most), partial(from_triples, most=most))


def values_of_a_part(sums: Sums, outputs: int, offset: int = 0) -> int:
    """Of how many values at most the sums are made together, for blocks of so many outputs: of all,
    or of parts of the same length, the last one shorter.  `offset`: added to each value."""
    low, high = (end + offset for end in sums.input_limits)
    weights = sums.matrix.astype(np.int64)
    most_of = np.maximum(low * weights, high * weights)
    least_of = np.minimum(low * weights, high * weights)
    sizes = _sizes(sums.outputs, outputs)
    parts, values = 1, sums.values
    while not _fit(most_of, least_of, sizes, values):
        parts += 1
        values = -(-sums.values // parts)
    return values


def _fit(most: Int64Array, least: Int64Array, sizes: Int64Array, values: int) -> bool:
    """Whether sums of the products' ends over each part of so many values are below the sizes."""
    starts = np.arange(0, most.shape[1], values)
    tops, bottoms = (np.add.reduceat(ends, starts, axis=1) for ends in (most, least))
    return bool((tops.max(axis=1) < sizes).all() and (bottoms.min(axis=1) >= -sizes).all())


def _sizes(outputs: int, most: int) -> Int64Array:
    """What the sums of each output stay below, [outputs]."""
    sizes = np.full(outputs, 2**31)
    for first in range(0, outputs, most):
        triples = block_of(min(most, outputs - first), most).triples
        sizes[first : first + 3 * triples] = _SIZES * triples
    return sizes


@dataclass(frozen=True, kw_only=True)
class TripleWords(Variant):
    """Words of the template."""

    tile_words: int
    """Of a block, for each value; one with few outputs has half as many."""
    two_of_one: str
    """Piece that sums for two blocks of one pixel, of a tile of several; or empty."""


def _members(sums: Sums, outputs: int, offset: int) -> dict[str, Any]:
    """`part`, as `values_of_a_part` has it, and the bias."""
    bias = sums.bias.astype(np.int64) - offset * sums.matrix.astype(np.int64).sum(axis=1)
    part = values_of_a_part(sums, outputs, offset)
    return {"part": part, "bias": wrap_int32(bias).astype(np.int32)}


def triples(
    outputs: int,
    pixels: int,
    order: Order,
    *,
    pays: tuple[Ask, ...],
    excludes: frozenset[Feature] = frozenset(),
    two_of_one: str = "",
    offset: int = 0,
) -> Tile:
    """Blocks of so many outputs, whose order it is, for so many pixels or one; `two_of_one` as
    TripleWords has it.  `offset`: what the pieces add to each value, which the bias takes off."""
    words = outputs // 3 * 2
    names = [f"word_sums_{words // part}" for part in (1, 2)]
    by_one = [f"{name}_by_1" for name in names]
    of_pixels = [f"{name}_by_{pixels}" for name in names if pixels > 1]
    pieces = (*of_pixels, *by_one, two_of_one, "part_triples")
    return Tile(
        name=f"triples_{outputs}_by_{pixels}",
        template="cores/triples.j2",
        channels=outputs,
        pieces=(*pieces, "requantize"),
        order=order,
        members=partial(_members, outputs=outputs, offset=offset),
        pixels=pixels,
        rows_template="cores/triples_rows.j2",
        row_pieces=(*by_one, "part_triples"),
        words=TripleWords(tile_words=words, two_of_one=two_of_one),
        excludes=excludes | OF_SOME_WEIGHTS,
        is_for_speed=True,
        pays=pays,
    )
