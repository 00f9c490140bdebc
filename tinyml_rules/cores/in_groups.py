"""Weights of some outputs side by side, input after input: an order that several cores have."""

from __future__ import annotations

from functools import partial

import numpy as np

from tinyml_rules.cores.order import Order
from tinyml_rules.ir.graph import Array


def in_groups(matrix: Array, size: int) -> Array:
    """Weights [outputs][inputs]: of each `size` outputs after `size` those of the first input, then
    those of the second, and so on; after them the outputs that are left, row after row."""
    whole = len(matrix) // size * size
    groups = matrix[:whole].reshape(-1, size, matrix.shape[1]).transpose(0, 2, 1)
    return np.concatenate([groups.ravel(), matrix[whole:].ravel()])


def from_groups(data: Array, outputs: int, inputs: int, size: int) -> Array:
    """Back again: weights [outputs][inputs]."""
    whole = outputs // size * size
    groups = data[: whole * inputs].reshape(-1, inputs, size).transpose(0, 2, 1)
    rest = data[whole * inputs :].reshape(-1, inputs)
    return np.concatenate([groups.reshape(whole, inputs), rest])


def groups_of(size: int) -> Order:
    """The order of so many outputs side by side."""
    return Order(partial(in_groups, size=size), partial(from_groups, size=size))
