"""RISC-V of 32 bits with bit manipulation: results are clamped without branches."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.cores.core import Core
from tinyml_rules.ir.features import Feature

CORE = Core(
    name="riscv_b",
    folder=Path(__file__).parent,
    needs=frozenset((Feature.RISCV, Feature.RISCV_B)),
    beats=frozenset(("plain", "plain32", "plain64", "riscv")),
)
