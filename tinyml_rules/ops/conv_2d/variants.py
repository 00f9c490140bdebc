"""What kernels of one template of CONV_2D differ in, whatever their technique."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.ir.words import Variant


@dataclass(frozen=True, kw_only=True)
class Dilation(Variant):
    """Words of the templates that copy what a window sees."""

    is_dilated: bool = False
    """Whether the columns that a window sees lie apart."""
