"""FULLY_CONNECTED with weights packed without loss: when that pays, and the constants then."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from tinyml_rules.arithmetic.packed_blocks import from_blocks
from tinyml_rules.arithmetic.rice import from_rice, in_rice, parameters_of, size_of
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.packed import Packed, Packing
from tinyml_rules.ir.program import Work
from tinyml_rules.ops.fully_connected.op import Params

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


def _fields(params: Params) -> dict[str, Any]:
    """Those that every form has."""
    return {field.name: getattr(params, field.name) for field in fields(Params)}


def pays(plain_bytes: int, packed_bytes: int) -> bool:
    """Whether weights of so many bytes are packed to so many."""
    least = max(LEAST_SAVED_BYTES, LEAST_SAVED_SHARE * plain_bytes)
    return plain_bytes - packed_bytes >= least


def blocks_pay(params: Params) -> bool:
    """The same of weights in blocks."""
    return pays(params.weights.nbytes, params.blocks.size_bytes)


def pack_in_blocks(work: Work) -> Packed:
    """The blocks of a prepared node."""
    params = work.params
    assert isinstance(params, Params)
    blocks, plain = params.blocks, params.weights
    unpacked = from_blocks(blocks, params.output_count, params.input_count)
    assert np.array_equal(unpacked, plain), "packed weights are not the weights"
    members = {**_fields(params), "weights": blocks.words, "widths": blocks.widths}
    packing = _packing(work, plain.nbytes, blocks.size_bytes)
    return Packed(BlocksParams(**members), packing=packing)


def rice_pays(params: Params) -> bool:
    """The same of weights in Rice codes."""
    low_bits = parameters_of(params.weights)
    return pays(params.weights.nbytes, size_of(params.weights, low_bits) + low_bits.nbytes)


def pack_in_rice(work: Work) -> Packed:
    """The Rice codes of a prepared node, for whole vectors."""
    params = work.params
    assert isinstance(params, Params)
    return _in_rice(work, params, params.input_count)


def pack_pieces_in_rice(work: Work, piece: int) -> Packed:
    """Codes for whole vectors, for pieces of so many values."""
    params = work.params
    assert isinstance(params, RiceParams)
    whole = params.input_count
    matrix = from_rice(params.weights, params.low_bits, whole, piece=whole)
    return _in_rice(work, replace(params, weights=matrix), piece)


def _packing(work: Work, plain_bytes: int, packed_bytes: int) -> Packing:
    assert work.weights is not None
    return Packing(work.weights, plain_bytes, packed_bytes)


def _in_rice(work: Work, params: Params, piece: int) -> Packed:
    plain, low_bits = params.weights, parameters_of(params.weights)
    codes = in_rice(plain, low_bits, piece)
    unpacked = from_rice(codes, low_bits, params.input_count, piece)
    assert np.array_equal(unpacked, plain), "packed weights are not the weights"
    members = {**_fields(params), "weights": codes, "low_bits": low_bits}
    packing = _packing(work, plain.nbytes, codes.nbytes + low_bits.nbytes)
    return Packed(RiceParams(**members), packing=packing, more_sums=1)
