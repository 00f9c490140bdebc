"""Xtensa LX6 with MAC16: pairs of channels in an accumulator of 40 bits."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.cores.core import Core
from tinyml_rules.ir.features import Feature

CORE = Core(
    name="mac16",
    folder=Path(__file__).parent,
    needs=frozenset((Feature.MAC16,)),
    beats=frozenset(("mul16s", "plain", "plain32", "plain64")),
)
