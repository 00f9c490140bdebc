"""GELU: its options."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.ir.options import option


@dataclass(frozen=True)
class Attrs:
    """Options of the node."""

    approximate: bool = option(0, "bool", default=False)
