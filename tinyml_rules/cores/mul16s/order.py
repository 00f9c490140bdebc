"""Weights of two outputs in one number of 16 bits, A + 128 + 256 * B, which always fits.

MAC16 has them in the same order.  Of inputs x + 128, which have no sign, the two sums are parted as
`dsp` does with those of A + 256 * B.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.cores.order import Order
from tinyml_rules.ir.sum_conditions import Ask

AnyArray = npt.NDArray[Any]

GROUP = 4
"""The outputs are a multiple of it, and the inputs are filled up to one."""


def in_offset_pairs(weights: AnyArray) -> npt.NDArray[np.uint32]:
    """int8 weights [outputs][inputs] as words of two numbers A + 128 + 256 * B, one an input, which
    always fit 16 bits: pair of outputs after pair, the inputs of each in their order, filled up
    with zeros to a multiple of four.  A zero after the last pair may be read with it.

    The outputs are a multiple of four."""
    first, second = (each.astype(np.int32) for each in (weights[::2], weights[1::2]))
    numbers = np.pad(first + 128 + 256 * second, ((0, 0), (0, -weights.shape[1] % GROUP))).astype(
        "<i2"
    )
    return np.frombuffer(numbers.tobytes() + bytes(4), "<u4").astype(np.uint32)


def from_offset_pairs(words: AnyArray, outputs: int, inputs: int) -> npt.NDArray[np.int8]:
    """Back again: weights [outputs][inputs]."""
    numbers = np.frombuffer(words[:-1].astype("<u4").tobytes(), "<i2").astype(np.int32)
    pairs = numbers.reshape(outputs // 2, -1)[:, :inputs]
    both = np.stack([(pairs & 255) - 128, pairs >> 8], axis=1)
    return both.reshape(outputs, inputs).astype(np.int8)


def in_offset_biases(weights: AnyArray, bias: AnyArray) -> npt.NDArray[np.int32]:
    """What is added to sums with such weights, of inputs x + 128 that are not negative: the sum of
    (x + 128) * (A + 128) less 128 times that of x + 128, and (x + 128) * B, both with it, are the
    sums of x * A and x * B with their biases, modulo 2^32.  An array of the size of `bias`."""
    sums = weights.astype(np.int64).sum(axis=1)
    found: npt.NDArray[np.int64] = bias.astype(np.int64) - 128 * sums
    return found.astype(np.uint32).view(np.int32)


def fit_offset_pairs(weights: AnyArray) -> bool:
    """Whether the sum of (x + 128) * B is below 2^23 in size for all int8 x and each second output,
    so that it is (R - S) / 256 exactly.  It always is for 256 inputs."""
    second = weights[1::2].astype(np.int64)
    most = 255 * np.maximum(second, 0).sum(axis=1), 255 * np.minimum(second, 0).sum(axis=1)
    return bool((most[0] < 2**23).all() and (most[1] >= -(2**23)).all())


OFFSET_PAIRS = Order(
    in_offset_pairs,
    from_offset_pairs,
    lambda weights: len(weights) % GROUP == 0 and fit_offset_pairs(weights),
)

IN_OFFSET_PAIRS = Ask(
    lambda sums: fit_offset_pairs(sums.matrix), "two of the weights do not fit into one number"
)
