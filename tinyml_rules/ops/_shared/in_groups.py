"""Weights of some outputs side by side, input after input, of kernels that have them so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tinyml_rules.cores.in_groups import in_groups
from tinyml_rules.cores.thumb_m0.order import in_unsigned_groups
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Work


def pack_in_groups(work: Work, size: int) -> Packed:
    """The groups of a prepared node, whose `weights` have the outputs as their first dimension."""
    params: Any = work.params
    matrix = params.weights.reshape(len(params.weights), -1)
    return Packed(replace(params, weights=in_groups(matrix, size)))


def pack_unsigned_in_groups(work: Work) -> Packed:
    """The same with 128 more for each weight of a group, in a byte without a sign."""
    params: Any = work.params
    matrix = params.weights.reshape(len(params.weights), -1)
    return Packed(replace(params, weights=in_unsigned_groups(matrix)))
