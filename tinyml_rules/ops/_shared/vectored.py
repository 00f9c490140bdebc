"""Packed weights: vectors of sixteen inputs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tinyml_rules.cores.mve.order import from_vectors, in_vectors
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Work


def pack_in_vectors(work: Work) -> Packed:
    """The vectors of a prepared node, whose `weights` have the outputs as their first dimension."""
    params: Any = work.params
    matrix = params.weights.reshape(len(params.weights), -1)
    data = in_vectors(matrix)
    assert np.array_equal(from_vectors(data, *matrix.shape), matrix), "vectors are not the weights"
    return Packed(replace(params, weights=data))
