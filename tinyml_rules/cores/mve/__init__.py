"""Cortex-M55 and M85 with Helium: dot products of sixteen values."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tinyml_rules.cores.core import Core, Qualifiers
from tinyml_rules.cores.finish import OF_32_BITS, Finish
from tinyml_rules.cores.mve.tiles import INT16, PIXEL
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array


def _left(multiplier: Array, right: Array) -> tuple[Array, Array]:
    """For an instruction that shifts to the left."""
    return multiplier, np.negative(right)


CORE = Core(
    name="mve",
    folder=Path(__file__).parent,
    needs=frozenset((Feature.MVE,)),
    beats=frozenset(("plain", "plain32", "plain64", "thumb_m0", "thumb_m3")),
    finish=Finish(OF_32_BITS, _left, shifts_left=True),
    # GCC 12 takes a narrowing store, and a widening load, for one of its first byte alone
    qualifiers=Qualifiers(keeps_order=True),
    group=8,
    tiles=(PIXEL, INT16),
    vector_tiles=(PIXEL, INT16),
)
