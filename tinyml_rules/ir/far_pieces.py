"""Pieces of emit/runtime that read weights themselves, and those for weights that are far away."""

from __future__ import annotations

_FAR = {
    piece: f"{piece}_far"
    for piece in (
        "dot_product",
        "dot_product_int16",
        "nibble_dot_product",
        "rice_dot_product",
        "channel_pairs",
        "channel_pairs_signed",
        "channel_pairs_shift",
        "channel_pairs_nibbles",
        "channel_pairs_nibbles_signed",
        "channel_pairs_nibbles_shift",
        "channel_fours",
        "channel_fours_signed",
        "channel_fours_shift",
    )
}


def far_piece(piece: str) -> str:
    """The piece that does the same for weights beyond 64 kB of flash; others stay as they are."""
    return _FAR.get(piece, piece)
