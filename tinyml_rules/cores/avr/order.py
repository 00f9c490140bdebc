"""Weights of two or four outputs in turn and without a sign, for MUL of two such bytes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tinyml_rules.cores.order import Order
from tinyml_rules.cores.plain32.order import are_nibbles
from tinyml_rules.ir.graph import Array

Bytes = npt.NDArray[np.uint8]

OFFSET, NIBBLE_OFFSET = 128, 8
"""How much more than a weight its byte is, and its four bits."""
TWO, FOUR = 2, 4


def in_twos(matrix: Array) -> Bytes:
    """[pairs of outputs][...]: the weights of both in turn, input after input.  An odd output makes
    a pair with one that adds nothing, and so does an odd input."""
    padding = ((0, len(matrix) % TWO), (0, matrix.shape[1] % TWO))
    stored = np.pad(_without_sign(matrix), padding)
    return np.stack([stored[0::TWO], stored[1::TWO]], axis=2).reshape(len(stored) // TWO, -1)


def from_twos(data: Array, outputs: int, inputs: int) -> Array:
    """Back again: weights [outputs][inputs]."""
    stored = data.reshape(len(data), -1, TWO).transpose(0, 2, 1)
    return _with_sign(stored.reshape(TWO * len(data), -1)[:outputs, :inputs])


def in_nibbles(matrix: Array) -> Bytes:
    """[pairs of outputs][inputs]: weights of four bits of both in a byte, those of the first in its
    lower bits; padded in the same way."""
    stored = (matrix.astype(np.int64) + NIBBLE_OFFSET).astype(np.uint8)
    stored = np.pad(stored, ((0, len(matrix) % TWO), (0, matrix.shape[1] % TWO)))
    found: Bytes = stored[0::TWO] | np.left_shift(stored[1::TWO], 4, dtype=np.uint8)
    return found


def from_nibbles(data: Array, outputs: int, inputs: int) -> Array:
    """Back again: weights [outputs][inputs]."""
    both = data.astype(np.int64)
    stored = np.stack([both & 15, both >> 4], axis=1).reshape(TWO * len(both), -1)
    return np.asarray((stored[:outputs, :inputs] - NIBBLE_OFFSET).astype(np.int8))


def in_fours(matrix: Array) -> Bytes:
    """[fours of outputs][...]: the weights of all four, input after input; the last four are filled
    up with outputs that add nothing."""
    stored = np.pad(_without_sign(matrix), ((0, -len(matrix) % FOUR), (0, 0)))
    fours = stored.reshape(-1, FOUR, matrix.shape[1]).transpose(0, 2, 1)
    return fours.reshape(len(fours), -1)


def from_fours(data: Array, outputs: int, inputs: int) -> Array:
    """Back again: weights [outputs][inputs]."""
    stored = data.reshape(len(data), -1, FOUR).transpose(0, 2, 1)
    return _with_sign(stored.reshape(FOUR * len(data), -1)[:outputs, :inputs])


def _without_sign(matrix: Array) -> Bytes:
    found: Bytes = (matrix.astype(np.int64) + OFFSET).astype(np.uint8)
    return found


def _with_sign(stored: Array) -> Array:
    return np.asarray((stored.astype(np.int64) - OFFSET).astype(np.int8))


TWOS = Order(in_twos, from_twos)
FOURS = Order(in_fours, from_fours)
NIBBLES = Order(in_nibbles, from_nibbles, are_nibbles)
