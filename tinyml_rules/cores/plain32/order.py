"""Weights of four bits: a word has those of eight outputs for an input.

A weight w is the number 7 - w, from 0 to 15.  Four bits of the lower half of a word and those 16
bits above them are the number a + 2^16 * b, so that one product is for two outputs: of values x,
the sum of x * (7 - w) less 7 times that of x is that of -x * w, which of 32 values is at least
-2^15 and at most 32,512.
"""

from __future__ import annotations

import numpy as np

from tinyml_rules.cores.in_groups import from_groups, in_groups
from tinyml_rules.cores.order import Order
from tinyml_rules.ir.graph import Array

GROUP = 8
"""Outputs of a word."""
_TOP = 7
"""The greatest weight."""


def are_nibbles(matrix: Array) -> bool:
    """Whether weights are numbers of four bits."""
    return bool(matrix.min(initial=0) >= -_TOP - 1 and matrix.max(initial=0) <= _TOP)


def in_words(matrix: Array) -> Array:
    """Weights [outputs][inputs]: a word for each input of eight outputs after eight, the first in
    the lowest bits; after them the bytes of the outputs that are left, row after row, filled up
    with zeros to a word."""
    whole = len(matrix) // GROUP * GROUP
    eights = (_TOP - in_groups(matrix[:whole], GROUP)).astype(np.uint8).reshape(-1, 2)
    data = (eights[:, 0] | eights[:, 1] << 4).tobytes() + matrix[whole:].astype(np.int8).tobytes()
    return np.frombuffer(data + bytes(-len(data) % 4), "<u4").astype(np.uint32)


def from_words(words: Array, outputs: int, inputs: int) -> Array:
    """Back again: weights [outputs][inputs]."""
    data = np.frombuffer(words.astype("<u4").tobytes(), np.uint8)
    whole = outputs // GROUP * GROUP
    end = whole * inputs // 2
    eights, rest = data[:end], data[end : end + (outputs - whole) * inputs]
    numbers = _TOP - np.stack([eights & 15, eights >> 4], axis=1).reshape(-1).astype(np.int8)
    return from_groups(np.concatenate([numbers, rest.view(np.int8)]), outputs, inputs, GROUP)


NIBBLES = Order(in_words, from_words, are_nibbles)
