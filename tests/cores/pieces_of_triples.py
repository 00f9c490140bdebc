"""The pieces of C that make three sums in two products."""

from __future__ import annotations

from functools import partial

from tests.cores.piece import Piece, cores
from tinyml_rules.cores.triples import in_triples

_ADD_BIAS = "for (int i = 0; i < {}; i++) {{\n    out[i] = bias[i / {}] + out[i];\n}}"


def _of_words(words: int, pixels: int, *names: str, outputs: int = 0) -> Piece:
    """Of a block of so many words: a whole one, or one of so many outputs."""
    outputs = outputs or words // 2 * 3
    triples = max(0, outputs - words)
    distance = "count, " if pixels > 1 else ""
    call = f"word_sums_{words}_by_{pixels}(out, {triples}, (const void *)weights, input, "
    part = f"part_triples(out, {triples}, {pixels});\n" if triples != words // 2 else ""
    return Piece(
        f"word_sums_{words}_by_{pixels}",
        f"{call}{distance}count);\n{part}{_ADD_BIAS.format(outputs * pixels, pixels)}",
        *(outputs, pixels),
        cores=cores(*names),
        pack=partial(in_triples, most=12 if words > 4 or "thumb_m0" in names else 6),
        pieces=("part_triples",),
        word_of_weights=True,
    )


TRIPLES = (
    _of_words(8, 1, "thumb_m0", "riscv"),
    _of_words(8, 1, "thumb_m0", "riscv", outputs=10),
    _of_words(4, 1, "thumb_m0"),
    _of_words(4, 1, "thumb_m0", outputs=5),
    *(_of_words(words, pixels, "riscv") for words in (4, 2) for pixels in (1, 4)),
    *(_of_words(4, pixels, "riscv", outputs=5) for pixels in (1, 4)),
    *(_of_words(2, pixels, "riscv", outputs=2) for pixels in (1, 4)),
    Piece(
        "word_sums_of_two_by_1",
        "const uint32_t *const words = (const void *)weights;\n"
        "word_sums_of_two_by_1(out, words, words + 4 * count, input, count);\n"
        + _ADD_BIAS.format(12, 1),
        12,
        cores=cores("riscv"),
        pack=partial(in_triples, most=6),
        word_of_weights=True,
    ),
)
