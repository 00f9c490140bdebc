"""Xtensa LX106: constants are loaded from flash in aligned words alone."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.cores.core import Core, Qualifiers
from tinyml_rules.cores.flash_words.tiles import TRIPLES
from tinyml_rules.ir.features import Feature

CORE = Core(
    name="flash_words",
    folder=Path(__file__).parent,
    needs=frozenset((Feature.FLASH_WORDS,)),
    beats=frozenset(("mac16", "mul16s", "plain", "plain32", "plain64")),
    # a narrow element is loaded with its neighbours
    qualifiers=Qualifiers(table="__attribute__((aligned(4))) "),
    tiles=(TRIPLES,),
    vector_tiles=(TRIPLES,),
)
