"""FULLY_CONNECTED with weights packed without loss: when that pays, and the constants then."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tinyml_rules.arithmetic.packed_blocks import from_blocks
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.program import Packed, Packing, Work
from tinyml_rules.ops.fully_connected.op import Params

LEAST_SAVED_BYTES = 512
"""About what unpacking takes of flash."""
LEAST_SAVED_SHARE = 0.09


@dataclass(frozen=True, eq=False)
class BlocksParams(Params):
    """Members of the C struct: `weights` are the words of all blocks, see
    `arithmetic/packed_blocks.py`."""

    widths: Array


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
    members = {**vars(replace(params, weights=blocks.words)), "widths": blocks.widths}
    packing = Packing(plain.nbytes, blocks.size_bytes)
    return Packed(BlocksParams(**members), packing=packing)
