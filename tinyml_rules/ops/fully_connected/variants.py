"""What kernels of one template of FULLY_CONNECTED differ in, whatever their technique."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.ir.words import Variant


@dataclass(frozen=True, kw_only=True)
class Scales(Variant):
    """Words of the templates."""

    is_per_axis: bool = False
    """Whether each output has a multiplier and a shift of its own, and not all the same."""


@dataclass(frozen=True, kw_only=True)
class Nibbles(Scales):
    """Words of the portable templates."""

    has_nibbles: bool = False
    """Whether weights have four bits."""
