"""Weights of eight outputs side by side and without a sign: ARMv6-M loads only bytes without one
from constant distances.  Words of twelve outputs, three of which take two.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tinyml_rules.cores.in_groups import from_groups, in_groups
from tinyml_rules.cores.order import Order
from tinyml_rules.cores.triples import triples_of
from tinyml_rules.ir.graph import Array

GROUP = 8
"""Outputs whose weights are next to each other."""


def in_unsigned_groups(matrix: Array) -> Array:
    """Groups with 128 more for each weight, in a byte without a sign; the outputs that are left
    have their own weights."""
    return in_groups(_moved(matrix), GROUP)


def from_unsigned_groups(data: Array, outputs: int, inputs: int) -> Array:
    """Back again: weights [outputs][inputs]."""
    return _moved(from_groups(data, outputs, inputs, GROUP))


def _moved(matrix: Array) -> Array:
    """By 128, modulo 256, where outputs are in groups."""
    moved: npt.NDArray[np.int8] = matrix.astype(np.int8)
    moved[: len(matrix) // GROUP * GROUP] ^= -128  # the highest bit alone
    return moved


UNSIGNED_EIGHTS = Order(in_unsigned_groups, from_unsigned_groups)
TRIPLES = triples_of(12)
