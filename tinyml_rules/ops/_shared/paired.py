"""Packed weights: those of two outputs in one number."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tinyml_rules.cores.dsp.order import GROUP, from_pairs, in_pairs
from tinyml_rules.cores.mul16s.order import GROUP as OFFSET_GROUP
from tinyml_rules.cores.mul16s.order import from_offset_pairs, in_offset_biases, in_offset_pairs
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Work


def pack_in_pairs(work: Work) -> Packed:
    """The pairs of a prepared node, whose `weights` have the outputs as their first dimension."""
    params: Any = work.params
    return _packed(params, params.weights.reshape(len(params.weights), -1))


def pack_rows_in_pairs(work: Work) -> Packed:
    """The same, with each row of the window padded with weights of 0 to whole groups."""
    params: Any = work.params
    matrix = in_whole_rows(params.weights)
    more = matrix.shape[1] - params.weights[0].size
    return replace(_packed(params, matrix), patch=work.patch + more)


def in_whole_rows(weights: Array) -> Array:
    """Weights [outputs][height][...] as a matrix of rows padded in this way."""
    rows = weights.reshape(*weights.shape[:2], -1)
    filled = np.pad(rows, ((0, 0), (0, 0), (0, -rows.shape[2] % GROUP)))
    return filled.reshape(len(weights), -1)


def _packed(params: Any, matrix: Array) -> Packed:
    words = in_pairs(matrix)
    assert np.array_equal(from_pairs(words, *matrix.shape), matrix), "pairs are not the weights"
    return Packed(replace(params, weights=words))


def pack_in_offset_pairs(work: Work) -> Packed:
    """The same as offset numbers, which always fit, with a bias that takes the offset off the
    sums.  Outputs are filled up to whole groups by such with weights and a bias of 0."""
    params: Any = work.params
    given = params.weights.reshape(len(params.weights), -1)
    matrix = np.pad(given, ((0, -len(given) % OFFSET_GROUP), (0, 0)))
    bias = np.pad(params.bias, (0, len(matrix) - len(given)))
    words = in_offset_pairs(matrix)
    unpacked = from_offset_pairs(words, *matrix.shape)
    assert np.array_equal(unpacked, matrix), "pairs are not the weights"
    return Packed(replace(params, weights=words, bias=in_offset_biases(matrix, bias)))
