"""Weights in the order in which a processor reads them that multiplies vectors of sixteen."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.cores.order import Order

AnyArray = npt.NDArray[Any]

GROUP = 4
"""Outputs whose weights are interleaved."""
LANES = 16
"""Inputs."""


def in_vectors(weights: AnyArray) -> npt.NDArray[np.int8]:
    """int8 weights [outputs][inputs] as one run of bytes: four outputs after four, of each of them
    sixteen inputs, then the next sixteen, the last filled up with zeros.  They are followed by the
    weights of the outputs that are left, row after row as they are."""
    outputs, inputs = weights.shape
    whole = outputs - outputs % GROUP
    filled = np.pad(weights[:whole], ((0, 0), (0, -inputs % LANES)))
    vectors = filled.shape[1] // LANES
    grouped = filled.reshape(whole // GROUP, GROUP, vectors, LANES).transpose(0, 2, 1, 3)
    return np.concatenate([grouped.ravel(), weights[whole:].ravel()]).astype(np.int8)


def from_vectors(data: AnyArray, outputs: int, inputs: int) -> npt.NDArray[np.int8]:
    """Back again: weights [outputs][inputs]."""
    whole, width = outputs - outputs % GROUP, inputs + -inputs % LANES
    grouped = data[: whole * width].reshape(whole // GROUP, width // LANES, GROUP, LANES)
    matrix = grouped.transpose(0, 2, 1, 3).reshape(whole, width)[:, :inputs]
    rest = data[whole * width :].reshape(-1, inputs)
    return np.concatenate([matrix, rest]).astype(np.int8)


VECTORS = Order(in_vectors, from_vectors)
