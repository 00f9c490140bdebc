"""The pieces of C that sum products with weights of four bits: as tests/cores/pieces_alone.py."""

from __future__ import annotations

from tests.cores.piece import SHORT, Piece, cores
from tinyml_rules.cores.dsp.order import NIBBLES as FOURS
from tinyml_rules.cores.plain32.order import NIBBLES as EIGHTS

_OF_32_BITS = cores(
    *("plain64", "thumb_m0", "thumb_m3", "dsp", "mve", "riscv", "flash_words", "mac16")
)
_BEFORE_LAYER = """static struct {
    uint32_t wide[32];
    struct pair_layer layer;
    int32_t begin[8];
} of;
nibble_values(&of.layer, of.begin, input, count);
nibble_sums(out, (const void *)weights, of.layer.values, 1, of.layer.count / 2);"""
NIBBLES = (
    *(
        Piece(
            f"nibble_products_8_by_{pixels}",
            f"nibble_products_8_by_{pixels}(out, bias, weights, input, count);",
            *(8, pixels),
            cores=_OF_32_BITS,
            pack=EIGHTS.pack,
            counts=(*SHORT, 63, 64, 65, 96),
            word_of_weights=True,
            least=-8,
        )
        for pixels in (1, 2, 4)
    ),
    Piece(
        "nibble_sums",
        _BEFORE_LAYER,
        4,
        cores=cores("dsp"),
        pack=FOURS.pack,
        pieces=("nibble_values",),
        word_of_weights=True,
        least=-8,
    ),
)
