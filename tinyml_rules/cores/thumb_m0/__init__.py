"""Cortex-M0, M0+ and M1 (ARMv6-M): eight channels of one pixel."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.cores.core import Core
from tinyml_rules.cores.thumb_m0.tiles import INT16, PIXEL, TRIPLES, VECTOR
from tinyml_rules.ir.features import Feature

CORE = Core(
    name="thumb_m0",
    folder=Path(__file__).parent,
    needs=frozenset((Feature.THUMB,)),
    beats=frozenset(("plain", "plain32", "plain64")),
    tiles=(TRIPLES, PIXEL, INT16),
    vector_tiles=(TRIPLES, VECTOR, INT16),
)
