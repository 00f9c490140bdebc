"""Tiles that keep the sums of some channels of some pixels in registers, of several cores."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tinyml_rules.cores.order import Order
from tinyml_rules.cores.tile import Tile
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.sum_conditions import BYTES, NIBBLES, Ask, outputs_from
from tinyml_rules.ir.words import Variant

_ENDS = {"int8_t": "", "int16_t": "_int16"}
"""Of the names of pieces, for values of these types."""


@dataclass(frozen=True, kw_only=True)
class Products(Variant):
    """Words of the templates: pieces that sum; one that a core does without is empty."""

    products: str
    """Piece that sums for all channels and pixels of the tile."""
    products_of_one: str = ""
    """Piece that sums for one pixel, of a tile of several."""
    more_of_one: str = ""
    """Piece that sums for twice the channels of one pixel."""
    offset: str = ""
    """Piece that tells of the values what comes to every sum, for a tile of one pixel."""
    has_words: bool = False
    """Whether the table of weights is one of words."""
    has_nibbles: bool = False
    """Whether weights of whole groups have four bits."""


def block_of_one(
    channels: int,
    order: Order | None,
    words: Products,
    *,
    pays: tuple[Ask, ...],
    excludes: frozenset[Feature] = frozenset(),
    value: str = "int8_t",
) -> Tile:
    """One pixel at a time."""
    dot_product = f"dot_product{_ENDS[value]}"
    pieces = (words.products, words.more_of_one, words.offset, dot_product)
    return Tile(
        name=_name(words, channels, 1),
        template="cores/block_of_one.j2",
        channels=channels,
        pieces=(*pieces, "requantize"),
        order=order,
        value=value,
        dot_product=dot_product,
        rows_template="cores/block_rows.j2",
        row_pieces=pieces,
        words=words,
        excludes=excludes,
        weights=NIBBLES if words.has_nibbles else BYTES,
        can=(outputs_from(channels),),
        pays=pays,
    )


def block(pixels: int, of_one: Tile, products: str, *, pays: tuple[Ask, ...]) -> Tile:
    """So many pixels at a time, the channels that are left in a function of their own, which is
    faster and longer than where `of_one` has them."""
    words = of_one.words
    assert isinstance(words, Products)
    return replace(
        of_one,
        name=_name(words, of_one.channels, pixels),
        template="cores/block.j2",
        pixels=pixels,
        pieces=(products, *of_one.pieces),
        rows_template="",
        words=replace(words, products=products, products_of_one=words.products),
        pays=pays,
    )


def _name(words: Products, channels: int, pixels: int) -> str:
    return f"{'nibbles_' if words.has_nibbles else ''}{channels}_by_{pixels}"
