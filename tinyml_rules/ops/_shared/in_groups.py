"""Weights of some outputs side by side, input after input, of kernels that have them so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Work


def in_groups(matrix: Array, size: int) -> Array:
    """Weights [outputs][inputs]: of each `size` outputs after `size` those of the first input, then
    those of the second, and so on; behind them the outputs that are left, row after row."""
    whole = len(matrix) // size * size
    groups = matrix[:whole].reshape(-1, size, matrix.shape[1]).transpose(0, 2, 1)
    return np.concatenate([groups.ravel(), matrix[whole:].ravel()])


def pack_in_groups(work: Work, size: int) -> Packed:
    """The groups of a prepared node, whose `weights` have the outputs as their first dimension."""
    params: Any = work.params
    matrix = params.weights.reshape(len(params.weights), -1)
    return Packed(replace(params, weights=in_groups(matrix, size)))


def pack_unsigned_in_groups(work: Work, size: int) -> Packed:
    """The same with 128 more for each weight of a group, in a byte without a sign."""
    params: Any = work.params
    matrix = params.weights.reshape(len(params.weights), -1).copy()
    matrix[: len(matrix) // size * size] ^= -128  # the highest bit alone
    return Packed(replace(params, weights=in_groups(matrix, size)))
