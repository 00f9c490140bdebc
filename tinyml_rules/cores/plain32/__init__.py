"""C for a processor with a dozen registers of 32 bits: four channels at a time."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.cores.core import Core
from tinyml_rules.cores.finish import OF_32_BITS, Bounds, Finish
from tinyml_rules.cores.plain32.tiles import INT16, NIBBLES, PIXEL
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.rounding import Rounding


def _below_a_part(multiplier: Array, right: Array) -> tuple[Array, Array]:
    """For products of parts, which have 8 bits more below the last one."""
    return multiplier, right + 8


CORE = Core(
    name="plain32",
    folder=Path(__file__).parent,
    needs=frozenset((Feature.REGISTERS_32,)),
    beats=frozenset(("plain",)),
    finish=Finish(
        Bounds(bits=20, shifts=range(1, 22), saturating_shift=11),
        _below_a_part,
        last=Rounding.SHORT,
        shifting=OF_32_BITS,
    ),
    group=4,
    tiles=(PIXEL, INT16, NIBBLES),
    vector_tiles=(INT16, NIBBLES),
)
