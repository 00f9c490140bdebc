"""FULLY_CONNECTED with weights packed without loss: when that pays, and the constants then."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tinyml_rules.arithmetic.packed_blocks import from_blocks, in_blocks
from tinyml_rules.arithmetic.rice import from_rice, in_rice, parameters_of, size_of
from tinyml_rules.ir.c_struct import with_members
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.packed import Packed, Packing
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.sum_conditions import Ask
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ops.fully_connected.op import Params, struct_of

LEAST_SAVED_BYTES = 512
"""About what unpacking takes of flash."""
LEAST_SAVED_SHARE = 0.09


@dataclass(frozen=True, eq=False)
class BlocksParams(Params):
    """Members of the C struct: `weights` are the words of all blocks, see
    `arithmetic/packed_blocks.py`."""

    widths: Array


@dataclass(frozen=True, eq=False)
class RiceParams(Params):
    """Members of the C struct: `weights` are the codes, see `arithmetic/rice.py`, with so many
    low bits in each row."""

    low_bits: Array


def pays(plain_bytes: int, packed_bytes: int) -> bool:
    """Whether weights of so many bytes are packed to so many."""
    least = max(LEAST_SAVED_BYTES, LEAST_SAVED_SHARE * plain_bytes)
    return plain_bytes - packed_bytes >= least


BLOCKS_PAY = Ask(
    lambda sums: pays(sums.matrix.nbytes, in_blocks(sums.matrix).size_bytes),
    "blocks would save too little flash",
)


def pack_in_blocks(work: Work[Sums]) -> Packed:
    """The blocks of a prepared node."""
    plain, blocks = work.facts.matrix, in_blocks(work.facts.matrix)
    unpacked = from_blocks(blocks, *plain.shape)
    assert np.array_equal(unpacked, plain), "packed weights are not the weights"
    struct = replace(struct_of(work.facts), weights=blocks.words)
    packing = _packing(work, plain.nbytes, blocks.size_bytes)
    return Packed(BlocksParams(**vars(struct), widths=blocks.widths), packing=packing)


def _rice_pays(sums: Sums) -> bool:
    low_bits = parameters_of(sums.matrix)
    return pays(sums.matrix.nbytes, size_of(sums.matrix, low_bits) + low_bits.nbytes)


RICE_PAYS = Ask(_rice_pays, "Rice codes would save too little flash")


def pack_in_rice(work: Work[Sums]) -> Packed:
    """The Rice codes of a prepared node, for whole vectors."""
    codes, packing = _codes(work, work.facts.values)
    struct, low_bits = struct_of(work.facts), parameters_of(work.facts.matrix)
    params = RiceParams(**vars(replace(struct, weights=codes)), low_bits=low_bits)
    return Packed(params, packing=packing, more_sums=1)


def pack_pieces_in_rice(work: Work[Sums], piece: int) -> Packed:
    """Codes for whole vectors, for pieces of so many values."""
    codes, packing = _codes(work, piece)
    return Packed(with_members(work.params, weights=codes), packing=packing, more_sums=1)


def _codes(work: Work[Sums], piece: int) -> tuple[Array, Packing]:
    plain = work.facts.matrix
    low_bits = parameters_of(plain)
    codes = in_rice(plain, low_bits, piece)
    unpacked = from_rice(codes, low_bits, work.facts.values, piece)
    assert np.array_equal(unpacked, plain), "packed weights are not the weights"
    return codes, _packing(work, plain.nbytes, codes.nbytes + low_bits.nbytes)


def _packing(work: Work[Sums], plain_bytes: int, packed_bytes: int) -> Packing:
    assert work.weights is not None
    return Packing(work.weights, plain_bytes, packed_bytes)
