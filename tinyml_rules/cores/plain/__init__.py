"""C for any processor: one channel at a time."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.cores.core import Core, Qualifiers

CORE = Core(
    name="plain",
    folder=Path(__file__).parent,
    needs=frozenset(),
    beats=frozenset(),
    qualifiers=Qualifiers(),
    group=1,
)
