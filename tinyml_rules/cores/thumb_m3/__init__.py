"""Cortex-M3 (ARMv7-M): four channels of two pixels."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.cores.core import Core
from tinyml_rules.cores.plain32.tiles import nibbles_of
from tinyml_rules.cores.thumb_m3.tiles import INT16, PIXEL_TRIPLES, PIXELS, VECTOR, VECTOR_TRIPLES
from tinyml_rules.ir.features import Feature

CORE = Core(
    name="thumb_m3",
    folder=Path(__file__).parent,
    needs=frozenset((Feature.THUMB, Feature.MULTIPLY_64)),
    beats=frozenset(("plain", "plain32", "plain64", "thumb_m0")),
    tiles=(PIXEL_TRIPLES, PIXELS, INT16, nibbles_of(2)),
    vector_tiles=(VECTOR_TRIPLES, VECTOR, INT16),
)
