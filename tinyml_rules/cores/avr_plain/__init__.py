"""AVR without a multiplier: C alone, whose constants are in another address space."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.cores.core import Core, Qualifiers
from tinyml_rules.ir.features import Feature

CORE = Core(
    name="avr_plain",
    folder=Path(__file__).parent,
    needs=frozenset((Feature.FLASH_ADDRESS_SPACE,)),
    beats=frozenset(("plain",)),
    qualifiers=Qualifiers(flash="__flash ", table="__flash "),
)
