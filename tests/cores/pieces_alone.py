"""The pieces of C that sum products: how each is called, and which weights it reads.

What comes out is, for each output o and pixel p, bias[o] plus the sum of weights[o] times the
values of p, by output.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from tests.cores.piece import LONG, LONG_OF_SHORT, SHORT, Numbers, Piece, as_they_are, cores
from tests.cores.pieces_of_nibbles import NIBBLES
from tests.cores.pieces_of_triples import TRIPLES
from tinyml_rules.arithmetic.rice import FIRST_STATE, in_rice
from tinyml_rules.cores.dsp.order import PAIRS, in_fours, in_pairs
from tinyml_rules.cores.in_groups import in_groups
from tinyml_rules.cores.mul16s.order import in_offset_biases, in_offset_pairs
from tinyml_rules.cores.mve.order import in_vectors
from tinyml_rules.cores.thumb_m0.order import in_unsigned_groups


def in_nibbles(matrix: Numbers) -> Numbers:
    """Two weights of four bits a byte, the first in the lower half."""
    (row,) = np.pad(matrix, ((0, 0), (0, matrix.shape[1] % 2))) & 15
    return np.asarray(row[0::2] | row[1::2] << 4, np.uint8)


def by_tap(matrix: Numbers) -> Numbers:
    """Those of all outputs for the first tap, then for the second."""
    return as_they_are(matrix.T)


_WIDE_VALUES = "(const int16_t *)(const void *)input"
ALL = (
    Piece(
        "dot_product",
        "out[0] = dot_product(bias[0], weights, input, count);",
        counts=(0, *SHORT, *LONG),
    ),
    Piece(
        "ram_dot_product",
        "out[0] = ram_dot_product(bias[0], input + count, input, count);",
        counts=(0, *SHORT, *LONG),
        in_ram=True,
    ),
    Piece(
        "nibble_dot_product",
        "out[0] = nibble_dot_product(bias[0], (const uint8_t FLASH *)weights, 0, input, count);",
        pack=in_nibbles,
        least=-8,
    ),
    Piece(
        "dot_product_int16",
        f"out[0] = dot_product_int16(bias[0], weights, {_WIDE_VALUES}, count);",
        counts=(0, *SHORT, *LONG_OF_SHORT),
        value="int16",
    ),
)
_OF_32_BITS = cores(
    *("plain64", "thumb_m0", "thumb_m3", "dsp", "mve", "riscv", "flash_words", "mac16")
)
_STORE = "sums_of_{0}_store(&sums, out);"
_SUMS_OF = """struct sums_of_{0} sums = sums_of_{0}_from(bias);
for (int i = 0; i < count; i++) {{
    sums_of_{0}_add(&sums, weights + {0} * i, input + {0} * i);
}}
sums_of_{0}_store(&sums, out);"""
SIDE_BY_SIDE = (
    Piece("dot_products", "dot_products(out, weights, input, count);", 4, cores=_OF_32_BITS),
    Piece(
        "dot_products",
        "dot_products(out, weights, input, count);",
        4,
        cores=cores("flash_words", "mac16"),
        counts=(*range(4, 41, 4), 508, 512, 516),
        word_of_weights=True,
    ),
    Piece(
        "sums_of_4", _SUMS_OF.format(4), *(4, 4), cores=_OF_32_BITS, pack=by_tap, of_its_own=True
    ),
    Piece(
        "sums_of_8", _SUMS_OF.format(8), *(8, 8), cores=cores("mve"), pack=by_tap, of_its_own=True
    ),
)
_FOURS = partial(in_groups, size=4)
GROUPS = (
    Piece(
        "products_4_by_1",
        "products_4_by_1(out, bias, weights, input, count);",
        4,
        cores=cores("plain64", "riscv", "thumb_m3"),
        pack=_FOURS,
    ),
    Piece(
        "products_8_by_1",
        "products_8_by_1(out, bias, weights, weights + 4 * count, input, count);",
        8,
        cores=cores("plain64", "riscv"),
        pack=_FOURS,
    ),
    Piece(
        "products_4_by_4",
        "products_4_by_4(out, bias, weights, input, count);",
        *(4, 4),
        cores=cores("riscv"),
        pack=_FOURS,
    ),
    Piece(
        "products_4_by_2",
        "products_4_by_2(out, bias, weights, input, count);",
        *(4, 2),
        cores=cores("thumb_m3"),
        pack=_FOURS,
    ),
    Piece(
        "products_8_by_1_unsigned",
        "const int32_t offset = minus_128_times(input, count);\n"
        "products_8_by_1_unsigned(out, bias, offset, weights, input, count);",
        8,
        cores=cores("thumb_m0"),
        pack=in_unsigned_groups,
        pieces=("minus_128_times",),
    ),
    Piece(
        "products_of_four",
        "const int8_t *next = weights;\n"
        "vstrwq_s32(out, products_of_four(bias, &next, input, count));",
        4,
        cores=cores("mve"),
        pack=in_vectors,
    ),
)


def _short(name: str, *names: str, pack: Callable[[Numbers], Numbers] = _FOURS) -> Piece:
    """Of four channels, for values of 16 bits."""
    return Piece(
        name,
        f"{name}(out, bias, weights, {_WIDE_VALUES}, count);",
        4,
        cores=cores(*names),
        pack=pack,
        counts=(*SHORT, *LONG_OF_SHORT),
        value="int16",
        word_of_weights=name == "products_of_fours_int16",
    )


SHORT_VALUES = (
    _short("products_4_by_1_int16", "plain64", "riscv", "thumb_m3"),
    _short("products_of_fours_int16", "dsp", pack=in_fours),
    _short("products_of_rows_int16", "mve", pack=as_they_are),
    Piece(
        "products_8_by_1_unsigned_int16",
        f"const int16_t *const wide = {_WIDE_VALUES};\n"
        "const int32_t offset = minus_128_times_int16(wide, count);\n"
        "products_8_by_1_unsigned_int16(out, bias, offset, weights, wide, count);",
        8,
        cores=cores("thumb_m0"),
        pack=in_unsigned_groups,
        pieces=("minus_128_times_int16",),
        counts=(*SHORT, *LONG_OF_SHORT),
        value="int16",
    ),
)
_OF_TWO = """static struct {
    uint32_t wide[128];
    struct pair_layer layer;
} of;
uint32_t *const wide = of.wide + 128 - count;
widen_two(wide, input, input + count, count / 4);
of.layer.values = wide;
of.layer.count = count;
for (int i = 0; i < 4; i++) {
    of.layer.sums[i] = bias[i];
}
pair_products_of_two(&of.layer, (const void *)weights);
for (int i = 0; i < 8; i++) {
    out[i] = of.layer.sums[i % 2 * 4 + i / 2];
}"""
PAIRS_OF_WEIGHTS = (
    Piece(
        "pair_products",
        "pair_products(out, (const void *)weights, input, count);",
        4,
        cores=cores("dsp"),
        pack=in_pairs,
        counts=(*SHORT, 495, 496, 497, 500, 535, 536),
        word_of_weights=True,
        fits=PAIRS.fits,
    ),
    Piece(
        "pair_products_of_two",
        _OF_TWO,
        *(4, 2),
        cores=cores("dsp"),
        pack=in_pairs,
        pieces=("widen_two",),
        counts=(*range(8, 41, 4), 124, 128),
        word_of_weights=True,
        fits=PAIRS.fits,
    ),
    Piece(
        "add_products",
        "int32_t four_weights;\n"
        "int32_t four_values;\n"
        "__builtin_memcpy(&four_weights, weights, 4);\n"
        "__builtin_memcpy(&four_values, input, 4);\n"
        "const int32_t odd = pair_of(weights[1], weights[3]);\n"
        "const int32_t even = even_bytes((uint32_t)four_weights);\n"
        "out[0] = add_products(even, even_bytes((uint32_t)four_values), out[0]);\n"
        "out[0] = add_lower(odd, input[1], out[0]);\n"
        "out[0] = add_upper(odd, odd_bytes((uint32_t)four_values) >> 16, out[0]);",
        cores=cores("dsp"),
        counts=(4,),
    ),
)
_WIDE = """static uint32_t wide[2048];
const int steps = (count + 3) / 4;
for (int i = 0; i < 2 * steps * {pixels}; i++) {{
    wide[i] = 0;
}}
"""
_OFFSET = (
    _WIDE.format(pixels=1)
    + """const int32_t sum = widen_unsigned((uint16_t *)wide, input, count);
offset_products(out, -128 * sum, (const void *)weights, 2 * steps, wide, steps);"""
)
_BLOCK = (
    _WIDE.format(pixels="more")
    + """int32_t sums[6 * 6];
for (int p = 0; p < more; p++) {
    uint16_t *const to = (uint16_t *)(wide + 2 * steps * p);
    sums[6 * p] = -128 * widen_unsigned(to, input + p * count, count);
    sums[6 * p + 3] = sums[6 * p];
}
block_products(sums, bias, (const void *)weights, wide, steps, more);
for (int i = 0; i < 4 * more; i++) {
    const int channel = i / more;
    out[i] = sums[i % more * 6 + channel / 2 * 3 + 1 + channel % 2];
}"""
)


def _of_offsets(name: str, call: str, pixels: int, *names: str) -> Piece:
    return Piece(
        name,
        call,
        *(4, pixels),
        cores=cores(*names),
        pack=in_offset_pairs,
        pieces=("widen_unsigned",),
        counts=(*SHORT, 252, 255, 256),
        more=pixels,
        word_of_weights=True,
        biased=in_offset_biases,
    )


OFFSETS = (
    _of_offsets("offset_products", _OFFSET, 1, "flash_words", "mac16"),
    *(_of_offsets("block_products", _BLOCK, each, "flash_words", "mac16") for each in (1, 2)),
    *(_of_offsets("block_products", _BLOCK, each, "mac16") for each in (3, 6)),
)


def _in_rice(matrix: Numbers, low_bits: int) -> Numbers:
    return in_rice(matrix, np.array([low_bits]), matrix.shape[1])


RICE = tuple(
    Piece(
        "rice_dot_product",
        f"uint32_t state = (uint32_t){FIRST_STATE} << 24;\n"
        "out[0] = rice_dot_product(bias[0], (const uint8_t FLASH *)weights, &state, (uint8_t)more, "
        "input, count);",
        cores=cores("plain64", "avr"),
        pack=partial(_in_rice, low_bits=low),
        counts=(1, 7, 8, 9, 17),  # or flash is too small for the codes
        more=low,
        met=(-128, -127, -1, 0, 1, 85, 126, 127),  # what was decoded is multiplied as in C
    )
    for low in range(8)
)
PIECES = (
    *(*ALL, *SIDE_BY_SIDE, *GROUPS, *SHORT_VALUES, *PAIRS_OF_WEIGHTS, *OFFSETS),
    *(*NIBBLES, *TRIPLES, *RICE),
)
