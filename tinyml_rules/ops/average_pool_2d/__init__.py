"""AVERAGE_POOL_2D: each output value is the rounded mean of the cells of a window, of one channel,
that are inside the image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.channels import same_channels
from tinyml_rules.ops._shared.constraints import takes_reals
from tinyml_rules.ops._shared.in_numpy import bounds, sums_in_order, within
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.pooling import (
    OF_BYTES,
    REAL_OPERANDS,
    Attrs,
    Params,
    check,
    check_mean,
    check_options,
    has_cells,
    has_channels,
    int16_meaning,
    operands_of,
    prepare,
    prepare_real,
    real_kernel,
    slidings,
    windowed,
)
from tinyml_rules.ops._shared.quantization import SAME
from tinyml_rules.ops._shared.spatial import patches


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; ties are rounded away from zero."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    image = values[view["input"].index].astype(np.int64)
    sums = patches(image, *slidings(view), output=view.output, fill=0).sum(axis=(3, 4))
    inside = np.ones_like(image)
    counts = patches(inside, *slidings(view), output=view.output, fill=0).sum(axis=(3, 4))
    magnitudes = (np.abs(sums) + counts // 2) // counts
    averages = np.where(sums > 0, magnitudes, -magnitudes)
    clamped = np.clip(averages, *bounds(view.output, attrs.activation))
    return clamped.astype(view.output.dtype.numpy)


def oracle_of_real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same in float32: cells are added one after the other, then divided once."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    image = values[view["input"].index].astype(np.float32)
    sums, counts = (
        sums_in_order(patches(each, *slidings(view), output=view.output, fill=0))
        for each in (image, np.ones_like(image))
    )
    return within(sums / counts, attrs.activation, DType.FLOAT32)


_KERNELS = Path(__file__).parent / "kernels"
_PORTABLE = _KERNELS / "portable.c.j2"
_CHANNELS = 8
"""Channels at a time: two in a register, or all in a vector."""
MOST_CELLS = 255
"""Largest window, in cells: 16 bits hold the sum of its int8 values and half their number, for
rounding."""


@dataclass(frozen=True)
class Rows(Variant):
    """Words of the template that takes an image in pieces."""

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
_SUMS = (has_channels(_CHANNELS), has_cells(MOST_CELLS))


def _eight_channels() -> tuple[Kernel[Params], Kernel[Params]]:
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


EIGHT_CHANNELS = _eight_channels()
"""Without a clamp, and with one."""

_VECTOR_ROWS = Kernel(
    name="average_pool_2d_vector_rows",
    template=_KERNELS / "vector_rows.c.j2",
    form=Form.ROWS,
)

VECTORS = Kernel(
    name="average_pool_2d_vectors",
    template=_KERNELS / "vectors.c.j2",
    form=Form.WINDOW,
    requires=frozenset((Feature.MVE, Feature.REGISTERS_32)),
    can=(has_cells(MOST_CELLS), has_channels(_CHANNELS)),
    in_rows=_VECTOR_ROWS,
)

WITH_VECTOR_ROWS = replace(
    VECTORS,
    name="average_pool_2d_of_any",
    template=_PORTABLE,
    can=(),
    variant=OF_BYTES,
)
"""The portable kernel for any number of cells and channels; only its form for an image in pieces
uses vectors."""


OP = Op(
    name="average_pool_2d",
    builtin_code=1,
    options_type=5,
    attrs=Attrs,
    inputs=("input",),
    options=check_options,
    summary="int8, int16, float32; SAME, VALID; stride; fused activation",
    channels=same_channels,
    meanings=(
        Meaning(
            takes=takes_reals,
            operands=REAL_OPERANDS,
            check=check,
            oracle=oracle_of_real,
            prepare=prepare_real,
            kernels=(real_kernel("average_pool_2d_real", "AVERAGE_POOL_2D"),),
        ),
        int16_meaning("average_pool_2d", oracle, _PORTABLE, check_mean),
        Meaning(
            operands=operands_of(DType.INT8),
            check=check_mean,
            oracle=oracle,
            prepare=prepare,
            interval=windowed(oracle),
            kernels=(
                *EIGHT_CHANNELS,
                VECTORS,
                WITH_VECTOR_ROWS,
                Kernel(
                    name="average_pool_2d",
                    template=_PORTABLE,
                    form=Form.WINDOW,
                    variant=OF_BYTES,
                    in_rows=Kernel(
                        name="average_pool_2d_rows",
                        template=_KERNELS / "rows.c.j2",
                        form=Form.ROWS,
                        variant=Rows(has_eight=False),
                    ),
                ),
            ),
        ),
    ),
    quantization=replace(SAME, int16_version=3),
)
