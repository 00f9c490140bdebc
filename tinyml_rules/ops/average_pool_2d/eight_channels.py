"""AVERAGE_POOL_2D of eight channels at a time, whose sums are two in a register: when, and how."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.pooling import Params, has_cells, has_channels

_KERNELS = Path(__file__).parent / "kernels"
_CHANNELS = 8
_MOST_CELLS = 255
"""Of a window: 16 bits hold the sum of so many int8."""


@dataclass(frozen=True)
class Rows(Variant):
    """Words of the template of an image in pieces."""

    has_eight: bool
    """Whether eight channels are added at a time."""


@dataclass(frozen=True)
class Clamp(Variant):
    """Words of the template of windows."""

    is_clamped: bool
    """Whether results are clamped to less than int8."""


def _is_full(params: Params) -> bool:
    return (params.clamp_min, params.clamp_max) == (INT8_MIN, INT8_MAX)


_FULL = Condition(_is_full, "an activation clamps the results")
_SUMS = (has_channels(_CHANNELS), has_cells(_MOST_CELLS))


def _kernels() -> tuple[Kernel[Params], Kernel[Params]]:
    in_rows = Kernel(
        name="average_pool_2d_eight_rows",
        template=_KERNELS / "rows.c.j2",
        form=Form.ROWS,
        requires=frozenset((Feature.DSP,)),
        variant=Rows(has_eight=True),
    )
    plain = replace(
        in_rows,
        name="average_pool_2d_eight",
        template=_KERNELS / "eight.c.j2",
        form=Form.WINDOW,
        can=(*_SUMS, _FULL),
        in_rows=in_rows,
        variant=Clamp(is_clamped=False),
    )
    clamped = replace(
        plain,
        name="average_pool_2d_eight_clamped",
        can=(*_SUMS, _FULL.opposite("no activation clamps the results")),
        variant=Clamp(is_clamped=True),
    )
    return plain, clamped


KERNELS = _kernels()
"""For values that need no clamp, and for all others."""
