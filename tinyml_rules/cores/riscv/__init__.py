"""RISC-V of 32 bits with a multiplier: four channels of four pixels."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.cores.core import Core
from tinyml_rules.cores.plain32.tiles import nibbles_of
from tinyml_rules.cores.riscv.tiles import PIXEL_TRIPLES, PIXELS, VECTOR, VECTOR_TRIPLES
from tinyml_rules.ir.features import Feature

CORE = Core(
    name="riscv",
    folder=Path(__file__).parent,
    needs=frozenset((Feature.RISCV,)),
    beats=frozenset(("plain", "plain32", "plain64")),
    tiles=(PIXEL_TRIPLES, PIXELS, nibbles_of(4)),
    vector_tiles=(VECTOR_TRIPLES, VECTOR),
)
