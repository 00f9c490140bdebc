"""Xtensa that multiplies numbers of 16 bits: pairs of channels, one with an offset."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.cores.core import Core, Qualifiers
from tinyml_rules.ir.features import Feature

CORE = Core(
    name="mul16s",
    folder=Path(__file__).parent,
    needs=frozenset((Feature.MUL16S,)),
    beats=frozenset(("plain", "plain32", "plain64")),
    # a narrow element is loaded with its neighbours
    qualifiers=Qualifiers(table="__attribute__((aligned(4))) "),
)
