"""Pieces of C that kernels call: one file each, and one more in the folder of each core of `cores/`
that has a better form.

A piece that calls others says so in its first line: `{# calls: requantize, widen #}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tinyml_rules.cores import all_cores, cores_of
from tinyml_rules.ir.features import Feature

_FOLDER = Path(__file__).parent
_CALLS = re.compile(r"\{# calls: ([a-z0-9_, ]+) #\}")

_ORDER = (
    *("multiply_accumulate", "dot_product", "nibble", "dot_products", "unpack_block"),
    *("rice_dot_product", "sums_of", "copy", "pair_products_of_block", "pair_products"),
    *("pair_layer", "pair_products_of_two", "widen_four", "widen_two", "products_4_by_1"),
    *("products_8_by_1", "products_4", "minus_128_times", "products_of_four", "add_products"),
    *("widen_unsigned", "widen_rows", "of_weights", "channel_pairs", "vector", "channel_fours"),
    *("fill_unsigned", "offset_products", "block_products", "fill", "rounding", "rescale"),
    *("requantize", "requantize_vector", "requantize_four", "requantize_once"),
    *("requantize_upwards", "requantize_short", "requantize_nearest", "requantize_four_nearest"),
    *("requantize_shift", "requantize_four_short", "requantize_four_shift", "requantize_four_once"),
    *("requantize_four_upwards", "pair_channels", "pair_channels_once", "pair_channels_upwards"),
    *("pair_channels_shift_upwards", "pair_channels_of_two", "pair_channels_of_two_upwards"),
    *("pair_channels_of_two_shift", "pair_channels_widened", "pair_channels_widened_upwards"),
    *("pair_channels_widened_shift", "inverse_square_root", "reciprocal", "real_exp"),
    *("ram_dot_product", "page", "page_int8", "page_int32", "page_dot_product", "page_sum"),
    *("poison", "poison_rows", "poison_gap"),
)
"""What names of pieces begin with, in the order of the pieces in C.  It keeps the C of a model as
it was: a piece whose name begins otherwise comes after these, and all come after those that they
call."""


def pieces_for(names: Iterable[str], features: frozenset[Feature]) -> tuple[str, ...]:
    """The named pieces and all that they call, in an order that C accepts."""
    found: dict[str, None] = {}

    def take(pieces: Iterable[str]) -> None:
        for piece in sorted(pieces, key=_place):
            if piece not in found:
                take(calls_of(template_of(piece, features)))
                found[piece] = None

    take(_closure(names, features))
    return tuple(found)


def _closure(names: Iterable[str], features: frozenset[Feature]) -> frozenset[str]:
    """The named pieces and all that they call."""
    needed: set[str] = set()
    left = set(names)
    while left:
        needed |= left
        left = {each for piece in left for each in calls_of(template_of(piece, features))} - needed
    return frozenset(needed)


@cache
def _place(piece: str) -> tuple[int, str]:
    beginnings = [each for each in _ORDER if piece.startswith(each)]
    return _ORDER.index(max(beginnings, key=len)) if beginnings else len(_ORDER), piece


@cache
def calls_of(template: Path) -> tuple[str, ...]:
    """The pieces that the piece of this file calls."""
    with template.open(encoding="utf-8") as file:
        found = _CALLS.fullmatch(file.readline().strip())
    return tuple(found[1].split(", ")) if found else ()


@cache
def template_of(piece: str, features: frozenset[Feature]) -> Path:
    """The file of the best core that has one, else the portable one."""
    for core in cores_of(features):
        path = core.folder / "pieces" / f"{piece}.c.j2"
        if path.is_file():
            return path
    path = _FOLDER / f"{piece}.c.j2"
    assert path.is_file(), f"there is no piece {piece} for {', '.join(sorted(features))}"
    return path


def all_pieces() -> frozenset[str]:
    """The name of every piece that there is."""
    return frozenset(path.name.removesuffix(".c.j2") for path in all_files())


def all_files() -> frozenset[Path]:
    """Every file of a piece, portable or of a core."""
    folders = (core.folder / "pieces" for core in all_cores().values())
    return frozenset(path for folder in (_FOLDER, *folders) for path in folder.glob("*.c.j2"))


def files_for(names: Iterable[str], features: frozenset[Feature]) -> list[Path]:
    """The files of the named pieces and of all that they call."""
    return [template_of(piece, features) for piece in pieces_for(names, features)]
