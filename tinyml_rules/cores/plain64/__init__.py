"""C for a processor that multiplies 32 by 32 bits to 64 in a few cycles."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.cores.core import Core
from tinyml_rules.cores.finish import OF_32_BITS, Finish
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array


def _plain(multiplier: Array, right: Array) -> tuple[Array, Array]:
    """Both as they are."""
    return multiplier, right


CORE = Core(
    name="plain64",
    folder=Path(__file__).parent,
    needs=frozenset((Feature.MULTIPLY_64,)),
    beats=frozenset(("plain", "plain32")),
    finish=Finish(OF_32_BITS, _plain, shifting=OF_32_BITS, alone="_alone"),
)
