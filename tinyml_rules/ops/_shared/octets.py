"""Weights of eight outputs side by side, input after input, of kernels that have them so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.program import Packed, Work

GROUP = 8
"""Outputs whose weights lie together."""
_EXCESS = 128
"""By which weights without a sign are more than they should be."""


def in_octets(weights: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Weights [outputs][inputs] as [outputs / 8][inputs][8], then the outputs that are left, row
    after row; one dimension."""
    outputs, inputs = weights.shape
    whole = outputs - outputs % GROUP
    octets = weights[:whole].reshape(-1, GROUP, inputs).transpose(0, 2, 1)
    return np.concatenate([octets.ravel(), weights[whole:].ravel()])


def pack_in_octets(work: Work) -> Packed:
    """The weights of a prepared node so, whose outputs are their first dimension."""
    params: Any = work.params
    return Packed(replace(params, weights=in_octets(_matrix(params))))


def pack_in_unsigned_octets(work: Work) -> Packed:
    """The same with 128 more for each weight of an octet, in a byte without a sign.

    What that is too much for inputs of -128 is in the bias: the sum of (w + 128) * x is that of
    w * x and 128 times that of x, which the kernel takes off.
    """
    params: Any = work.params
    matrix = _matrix(params).copy()
    whole = len(matrix) - len(matrix) % GROUP
    matrix[:whole] ^= -_EXCESS  # the sign alone
    return Packed(replace(params, weights=in_octets(matrix)))


def _matrix(params: Any) -> npt.NDArray[np.int8]:
    matrix: npt.NDArray[np.int8] = params.weights.reshape(len(params.weights), -1)
    return matrix
