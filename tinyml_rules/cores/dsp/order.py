"""Weights of two outputs in one number of 16 bits, A + 256 * B, so that one product is for both.

Of inputs x, the sum R of x * (A + 256 * B) and the sum S of x * A give that of x * B, which is
(R - S) / 256.  In 32 bits that is exact while it stays below 2^23 in size, as the sum of 511
products of int8 does, for all R and S that wrap.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.cores.order import Order
from tinyml_rules.cores.plain32.order import are_nibbles
from tinyml_rules.ir.sum_conditions import Ask

AnyArray = npt.NDArray[Any]

GROUP = 4
"""Outputs and inputs whose weights are interleaved."""


def fit_pairs(weights: AnyArray) -> bool:
    """Whether the pairs of int8 weights [outputs][inputs] are numbers of 16 bits: no -128 next to
    one below zero.  Outputs after the last four have no pairs."""
    first, second = _pairs(weights)
    return not bool(np.any((second == -128) & (first < 0)))


def have_bounded_sums(weights: AnyArray) -> bool:
    """Whether 256 times the sum of x * B is within 32 bits for all int8 inputs x and each second
    row B of a pair of weights [outputs][inputs]."""
    _, second = _pairs(weights)
    most = np.abs(second.astype(np.int64)).sum(axis=1).max(initial=0)
    return bool(most * 128 < 2**23)


def in_pairs(weights: AnyArray) -> npt.NDArray[np.uint32]:
    """int8 weights [outputs][inputs] as words: four outputs after four, and of each four inputs
    after four, the last filled up with zeros.

    Such four words are those of both pairs for inputs 0 and 2, then of both for inputs 1 and 3; the
    first input of a word is in its lower half.  They are followed by the bytes of the outputs that
    are left, row after row, filled up with zeros to a word.
    """
    first, second = (_filled(each).astype(np.int32) for each in _pairs(weights))
    numbers = (first + 256 * second).astype("<i2")
    groups, words = len(weights) // GROUP, numbers.shape[1] // GROUP
    fours = numbers.reshape(groups, 2, words, 2, 2)  # group, pair, inputs, half, odd
    data = fours.transpose(0, 2, 4, 1, 3).tobytes()
    rest = weights[_in_groups(weights) :].astype(np.int8).tobytes()
    data += rest + bytes(-len(rest) % 4)
    return np.frombuffer(data, "<u4").astype(np.uint32)


def from_pairs(words: AnyArray, outputs: int, inputs: int) -> npt.NDArray[np.int8]:
    """Back again: weights [outputs][inputs]."""
    data = words.astype("<u4").tobytes()
    whole, width = outputs - outputs % GROUP, inputs + -inputs % GROUP
    numbers = np.frombuffer(data, "<i2", whole // 2 * width).astype(np.int32)
    fours = numbers.reshape(whole // GROUP, width // GROUP, 2, 2, 2).transpose(0, 3, 1, 4, 2)
    pairs = fours.reshape(-1, width)
    first = pairs.astype(np.int8)
    second = ((pairs - first) >> 8).astype(np.int8)
    grouped = np.stack([first, second], axis=1).reshape(whole, width)[:, :inputs]
    rest = np.frombuffer(data, np.int8, (outputs - whole) * inputs, 2 * numbers.size)
    return np.concatenate([grouped, rest.reshape(-1, inputs)])


def _in_groups(weights: AnyArray) -> int:
    return int(weights.shape[0]) // GROUP * GROUP


def _pairs(weights: AnyArray) -> tuple[AnyArray, AnyArray]:
    """The first and the second of each pair."""
    whole = weights[: _in_groups(weights)]
    return whole[::2], whole[1::2]


def _filled(weights: AnyArray) -> AnyArray:
    return np.pad(weights, ((0, 0), (0, -weights.shape[1] % GROUP)))


def in_fours(matrix: AnyArray) -> npt.NDArray[np.uint32]:
    """int8 weights [outputs][inputs] as words, for inputs of 16 bits: four outputs after four, and
    of each four inputs after four, of each output a word with those of the inputs 0, 2, 1 and 3.
    Inputs that are left follow, one after the other, each with a word of the four outputs; after
    all groups are the bytes of the outputs that are left, row after row, filled up with zeros to a
    word."""
    whole, inputs = _in_groups(matrix), matrix.shape[1]
    count, parted = whole // GROUP, inputs - inputs % GROUP
    groups = matrix[:whole].astype(np.int8).reshape(count, GROUP, inputs)
    words = groups[:, :, :parted].reshape(count, GROUP, parted // GROUP, 2, 2)  # half, odd
    fours = words.transpose(0, 2, 1, 4, 3).reshape(count, GROUP * parted)
    left = groups[:, :, parted:].transpose(0, 2, 1).reshape(count, GROUP * (inputs - parted))
    data = np.concatenate([fours, left], axis=1).tobytes()
    data += matrix[whole:].astype(np.int8).tobytes()
    return np.frombuffer(data + bytes(-len(data) % 4), "<u4").astype(np.uint32)


def from_fours(words: AnyArray, outputs: int, inputs: int) -> npt.NDArray[np.int8]:
    """Back again: weights [outputs][inputs]."""
    data = np.frombuffer(words.astype("<u4").tobytes(), np.int8)
    whole, parted = outputs - outputs % GROUP, inputs - inputs % GROUP
    count = whole // GROUP
    groups = data[: whole * inputs].reshape(count, GROUP * inputs)
    fours = groups[:, : GROUP * parted].reshape(count, parted // GROUP, GROUP, 2, 2)
    first = fours.transpose(0, 2, 1, 4, 3).reshape(count, GROUP, parted)
    left = groups[:, GROUP * parted :].reshape(count, inputs - parted, GROUP).transpose(0, 2, 1)
    grouped = np.concatenate([first, left], axis=2).reshape(whole, inputs)
    rest = data[whole * inputs : outputs * inputs].reshape(-1, inputs)
    return np.concatenate([grouped, rest])


def in_nibbles(matrix: AnyArray) -> npt.NDArray[np.uint32]:
    """Weights of four bits [outputs][inputs] as words: four outputs after four, and of each four
    inputs after four, the last filled up with zeros, a word for the inputs 0 and 2 and one for 1
    and 3, the first of them in the lower half.  A half has the four outputs, the first in the
    lowest bits; the first three 8 above what they are.  After all groups are the bytes of the
    outputs that are left, row after row, filled up with zeros to a word."""
    whole = _in_groups(matrix)
    filled = _filled(matrix[:whole].astype(np.int32))
    width = filled.shape[1]
    fours = filled.reshape(whole // GROUP, GROUP, width)
    numbers = np.einsum("gov,o->gv", fours, _PLACES) + _ABOVE
    halves = numbers.astype("<i2").reshape(len(fours), width // GROUP, 2, 2).transpose(0, 1, 3, 2)
    data = halves.tobytes() + matrix[whole:].astype(np.int8).tobytes()
    return np.frombuffer(data + bytes(-len(data) % 4), "<u4").astype(np.uint32)


def from_nibbles(words: AnyArray, outputs: int, inputs: int) -> npt.NDArray[np.int8]:
    """Back again: weights [outputs][inputs]."""
    data = words.astype("<u4").tobytes()
    whole, width = outputs - outputs % GROUP, inputs + -inputs % GROUP
    halves = np.frombuffer(data, "<i2", whole // GROUP * width).reshape(-1, width // GROUP, 2, 2)
    numbers = halves.transpose(0, 1, 3, 2).reshape(-1, 1, width)
    bits = (numbers >> np.arange(0, 16, 4)[:, None]) & 15
    fours = np.where(np.arange(GROUP)[:, None] == GROUP - 1, (bits ^ 8) - 8, bits - 8)
    grouped = fours.astype(np.int8).reshape(whole, width)[:, :inputs]
    rest = np.frombuffer(data, np.int8, (outputs - whole) * inputs, 2 * halves.size)
    return np.concatenate([grouped, rest.reshape(-1, inputs)])


_PLACES = 16 ** np.arange(GROUP)
_ABOVE = int(8 * _PLACES[:-1].sum())
PAIRS = Order(in_pairs, from_pairs, fit_pairs)
FOURS = Order(in_fours, from_fours)
NIBBLES = Order(in_nibbles, from_nibbles, are_nibbles)


def _have_bounded_fourths(weights: AnyArray) -> bool:
    """Whether 4096 times the sum of x * D is within 32 bits for all int8 inputs x and each fourth
    row D of weights [outputs][inputs]."""
    fourths = weights[: _in_groups(weights)][GROUP - 1 :: GROUP].astype(np.int64)
    return bool(np.abs(fourths).sum(axis=1).max(initial=0) * 128 < 2**19)


IN_PAIRS = Ask(lambda sums: fit_pairs(sums.matrix), "two of the weights do not fit into one number")
BOUNDED = Ask(lambda sums: have_bounded_sums(sums.matrix), "a sum can leave 32 bits on its way")
BOUNDED_FOURTHS = Ask(
    lambda sums: _have_bounded_fourths(sums.matrix), "a sum can leave 32 bits on its way"
)
