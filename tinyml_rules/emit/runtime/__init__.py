"""Pieces of C that kernels call: one file each, one more for a feature that does it better."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tinyml_rules.ir.features import Feature

_FOLDER = Path(__file__).parent

PIECES: dict[str, tuple[str, ...]] = {
    "multiply_accumulate": (),
    "dot_product": (),
    "dot_product_far": (),
    "nibble": (),
    "nibble_dot_product": ("nibble",),
    "nibble_dot_product_far": ("nibble",),
    "dot_products": (),
    "unpack_block": (),
    "rice_dot_product": (),
    "rice_dot_product_far": (),
    "sums_of_4": (),
    "sums_of_8": (),
    "copy": (),
    "pair_products_of_block": (),
    "pair_products": ("copy", "pair_products_of_block"),
    "pair_layer": (),
    "pair_products_of_two": ("pair_layer",),
    "widen_four": (),
    "widen": (),
    "products_4_by_1": (),
    "products_8_by_1": (),
    "products_4_by_4": (),
    "products_4_by_2": (),
    "products_8_by_1_unsigned": (),
    "minus_128_times": (),
    "products_of_four": (),
    "add_products": (),
    "widen_unsigned": (),
    "widen_rows": (),
    "of_weights": (),
    "channel_pairs": ("of_weights",),
    "channel_pairs_far": ("of_weights",),
    "channel_pairs_shift": ("of_weights",),
    "channel_pairs_shift_far": ("of_weights",),
    "vector": (),
    "channel_fours": ("vector",),
    "channel_fours_far": ("vector",),
    "channel_fours_shift": ("vector",),
    "channel_fours_shift_far": ("vector",),
    "fill_unsigned": (),
    "offset_products": (),
    "block_products": ("offset_products",),
    "fill": (),
    "rounding_high_multiply": (),
    "rounding_high_of_doubled": (),
    "rounding_shift_right": (),
    "rescale": ("rounding_high_multiply", "rounding_shift_right"),
    "requantize": ("rescale",),
    "requantize_vector": (),
    "requantize_vector_once": (),
    "requantize_vector_upwards": (),
    "requantize_four": ("requantize",),
    "requantize_once": (),
    "requantize_upwards": (),
    "requantize_short": (),
    "requantize_nearest": (),
    "requantize_four_nearest": ("requantize_nearest",),
    "requantize_shift": (),
    "requantize_shift_upwards": (),
    "requantize_four_short": ("requantize_short",),
    "requantize_four_shift": ("requantize_shift",),
    "requantize_four_shift_upwards": ("requantize_shift_upwards",),
    "requantize_four_once": ("requantize_once",),
    "requantize_four_upwards": ("requantize_upwards",),
    "pair_channels": ("pair_layer", "pair_products", "requantize_four"),
    "pair_channels_once": ("pair_layer",),
    "pair_channels_upwards": ("pair_layer",),
    "pair_channels_shift_upwards": ("pair_layer",),
    "pair_channels_of_two": ("pair_products_of_two", "requantize_four"),
    "pair_channels_of_two_once": ("pair_layer",),
    "pair_channels_of_two_upwards": ("pair_layer",),
    "pair_channels_of_two_shift_upwards": ("pair_layer",),
    "pair_channels_widened": ("pair_channels",),
    "pair_channels_widened_once": ("copy", "pair_layer", "widen_four"),
    "pair_channels_widened_upwards": ("copy", "pair_layer", "widen_four"),
    "pair_channels_widened_shift_upwards": ("copy", "pair_layer", "widen_four"),
    "inverse_square_root": ("rounding_high_multiply",),
    "reciprocal_of_one_plus": ("rounding_high_multiply",),
    "real_exp": (),
    "ram_dot_product": (),
    "page": (),
    "page_int8": ("page",),
    "page_int32": ("page_int8",),
    "page_dot_product": ("page", "ram_dot_product"),
    "page_sum": ("page_int8",),
    "poison": (),
    "poison_rows": ("poison",),
    "poison_gap": ("poison",),
}
"""Every piece with the pieces that it calls, each after those."""

_OTHER_CALLS: dict[str, tuple[str, ...]] = {
    "requantize_four.mve.c.j2": ("requantize_vector",),
    "requantize_four_once.mve.c.j2": ("requantize_vector_once",),
    "requantize_four_upwards.mve.c.j2": ("requantize_vector_upwards",),
}
"""Files that call other pieces than the table tells."""


def pieces_for(names: Iterable[str], features: frozenset[Feature]) -> tuple[str, ...]:
    """The named pieces and all that they call, in an order that C accepts."""
    needed = set(names)
    for piece, calls in reversed(PIECES.items()):
        if piece in needed:
            needed.update(_OTHER_CALLS.get(template_of(piece, features).name, calls))
    assert needed <= PIECES.keys(), "a kernel names a piece that does not exist"
    return tuple(piece for piece in PIECES if piece in needed)


@cache
def template_of(piece: str, features: frozenset[Feature]) -> Path:
    """The file for these features, else the portable one."""
    for path in sorted(_FOLDER.glob(f"{piece}.*.c.j2")):
        if path.name.removeprefix(f"{piece}.").removesuffix(".c.j2") in features:
            return path
    return _FOLDER / f"{piece}.c.j2"


def files_for(names: Iterable[str], features: frozenset[Feature]) -> list[Path]:
    """The files of the named pieces and of all that they call."""
    return [template_of(piece, features) for piece in pieces_for(names, features)]
