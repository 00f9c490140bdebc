"""Packed weights: those of a group of outputs next to each other, input after input."""

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
    """The same with 128 added to each weight, as unsigned bytes."""
    params: Any = work.params
    matrix = params.weights.reshape(len(params.weights), -1)
    return Packed(replace(params, weights=in_unsigned_groups(matrix)))
