"""Weights of two outputs in one number, of kernels that have them so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tinyml_rules.arithmetic.weight_pairs import (
    from_offset_pairs,
    from_pairs,
    in_offset_biases,
    in_offset_pairs,
    in_pairs,
)
from tinyml_rules.ir.program import Packed, Work


def pack_in_pairs(work: Work) -> Packed:
    """The pairs of a prepared node, whose `weights` have the outputs as their first dimension."""
    params: Any = work.params
    matrix = params.weights.reshape(len(params.weights), -1)
    words = in_pairs(matrix)
    assert np.array_equal(from_pairs(words, *matrix.shape), matrix), "pairs are not the weights"
    return Packed(replace(params, weights=words))


def pack_in_offset_pairs(work: Work) -> Packed:
    """The same as numbers that always fit, with what their sums begin with as the bias."""
    params: Any = work.params
    matrix = params.weights.reshape(len(params.weights), -1)
    words = in_offset_pairs(matrix)
    unpacked = from_offset_pairs(words, *matrix.shape)
    assert np.array_equal(unpacked, matrix), "pairs are not the weights"
    return Packed(replace(params, weights=words, bias=in_offset_biases(matrix, params.bias)))
