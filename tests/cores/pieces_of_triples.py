"""The pieces of C that make three sums in two products."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.cores.piece import Piece, cores
from tinyml_rules.cores.mul16s.order import in_offset_biases
from tinyml_rules.cores.triples import in_triples

_ADD_BIAS = "for (int i = 0; i < {}; i++) {{\n    out[i] = bias[i / {}] + out[i];\n}}"


def _of_words(
    words: int, pixels: int, *names: str, outputs: int, most: int = 6, **more: Any
) -> Piece:
    """Of a block of so many words: a whole one, or one of so many outputs."""
    triples = max(0, outputs - words)
    distance = "count, " if pixels > 1 else ""
    call = f"word_sums_{words}_by_{pixels}(out, {triples}, (const void *)weights, input, "
    part = f"part_triples(out, {triples}, {pixels});\n" if triples != words // 2 else ""
    return Piece(
        f"word_sums_{words}_by_{pixels}",
        f"{call}{distance}count);\n{part}{_ADD_BIAS.format(outputs * pixels, pixels)}",
        *(outputs, pixels),
        cores=cores(*names),
        pack=partial(in_triples, most=most),
        pieces=("part_triples",),
        word_of_weights=True,
        **more,
    )


_OF_TWELVE = ((8, 12), (8, 10), (4, 6), (4, 5))
_OF_SIX = ((4, 6), (4, 5), (2, 3), (2, 2))
"""Words, and outputs."""
_PLUS_128: dict[str, Any] = {"least": -102, "biased": in_offset_biases}
"""Of values without a sign: sums of so many as there are stay below 2^20."""
TRIPLES = (
    *(_of_words(words, 1, "thumb_m0", outputs=each, most=12) for words, each in _OF_TWELVE),
    *(
        _of_words(words, 1, "flash_words", outputs=each, most=12, **_PLUS_128)
        for words, each in _OF_TWELVE
    ),
    *(_of_words(8, 1, "riscv", outputs=each, most=12) for each in (12, 10)),
    *(_of_words(words, 1, "riscv", outputs=each) for words, each in _OF_SIX),
    *(_of_words(words, 4, "riscv", outputs=each) for words, each in _OF_SIX),
    *(_of_words(words, 1, "thumb_m3", outputs=each) for words, each in _OF_SIX),
    *(_of_words(words, 2, "thumb_m3", outputs=each) for words, each in _OF_SIX),
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
