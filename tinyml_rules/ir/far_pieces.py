"""Pieces of emit/runtime that read weights themselves, and those for weights that lie far."""

FAR_PIECES = {
    piece: f"{piece}_far"
    for piece in (
        "dot_product",
        "nibble_dot_product",
        "rice_dot_product",
        "channel_pairs",
        "channel_pairs_shift",
        "channel_fours",
        "channel_fours_shift",
    )
}
