"""What kernels of one template of FULLY_CONNECTED differ in, whatever their technique."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._weighted.words import ElementWords


@dataclass(frozen=True, kw_only=True)
class Scales(Variant):
    """Words of the templates."""

    is_per_axis: bool = False
    """Whether each output has a multiplier and a shift of its own, and not all the same."""


@dataclass(frozen=True, kw_only=True)
class Plain(Scales, ElementWords):
    """Words of the portable templates."""
