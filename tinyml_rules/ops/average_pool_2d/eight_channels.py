"""AVERAGE_POOL_2D of eight channels at a time, whose sums are two in a register: when, and how."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.pooling import Params

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


def _takes(params: object, *, clamped: bool) -> bool:
    assert isinstance(params, Params)
    cells = params.window.height * params.window_width
    is_full = (params.clamp_min, params.clamp_max) == (INT8_MIN, INT8_MAX)
    is_small = cells <= _MOST_CELLS
    return params.channels >= _CHANNELS and is_small and is_full != clamped


def _kernels() -> tuple[Kernel, Kernel]:
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
        when=partial(_takes, clamped=False),
        in_rows=in_rows,
        variant=Clamp(is_clamped=False),
    )
    clamped = replace(
        plain,
        name="average_pool_2d_eight_clamped",
        when=partial(_takes, clamped=True),
        variant=Clamp(is_clamped=True),
    )
    return plain, clamped


KERNELS = _kernels()
"""For values that need no clamp, and for all others."""
