"""How constants and pointers to them are qualified in C, by the features of a part."""

from __future__ import annotations

from tinyml_rules.ir.features import Feature

_LOADED_BY_WORDS = {Feature.FLASH_WORDS, Feature.MUL16S}


def flash_qualifier(features: frozenset[Feature]) -> str:
    """What a pointer to a constant is qualified with, a blank after it included."""
    return "__flash " if Feature.FLASH_ADDRESS_SPACE in features else ""


def table_qualifier(features: frozenset[Feature]) -> str:
    """What a table of constants is declared with, a blank after it included."""
    if features & _LOADED_BY_WORDS:  # a narrow element with its neighbours
        return "__attribute__((aligned(4))) "
    return flash_qualifier(features)
