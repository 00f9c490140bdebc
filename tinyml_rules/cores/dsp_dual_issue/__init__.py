"""Cortex-M7: two instructions in a cycle, if words are loaded long before they are used."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.cores.core import Core
from tinyml_rules.ir.features import Feature

CORE = Core(
    name="dsp_dual_issue",
    folder=Path(__file__).parent,
    needs=frozenset((Feature.DSP, Feature.DUAL_ISSUE)),
    beats=frozenset(("dsp", "plain", "plain32", "plain64", "thumb_m0", "thumb_m3")),
)
