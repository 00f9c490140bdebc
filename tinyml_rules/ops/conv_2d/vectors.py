"""CONV_2D with weights in vectors of sixteen inputs: when that pays, and how."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tinyml_rules.cores.mve.order import GROUP, LANES
from tinyml_rules.cores.mve.sizes import CONV_2D as SIZES
from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.sum_conditions import (
    BYTES,
    CLOSE,
    DILATED,
    PIXELS,
    UNGROUPED,
    WINDOW,
    Ask,
    outputs_from,
)
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ir.words import ONLY, Variant
from tinyml_rules.ops._shared.vectored import pack_in_vectors
from tinyml_rules.ops.conv_2d.op import WindowParams, window_struct
from tinyml_rules.ops.conv_2d.variants import Dilation

_KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True, eq=False)
class ColumnsParams(WindowParams):
    """The same for a window whose input is copied column by column, for at most so many output
    pixels at a time."""

    most_pixels: Int


def _has_copy(sums: Sums) -> bool:
    """The bytes of a vector can be stored so far apart, and two windows overlap in it."""
    channels, height = sums.channels, sums.down.height
    place = (LANES // channels - 1) * channels * height + channels - 1
    return place <= SIZES.most_place and _pixels_of_copy(sums) > 1


_OVERLAP = (
    WINDOW,
    CLOSE,
    Ask(lambda sums: sums.channels <= LANES, f"more than {LANES} channels"),
    Ask(lambda sums: sums.across.stride < sums.across.size, "windows do not overlap"),
    Ask(lambda sums: sums.across.outputs > 1, "one window a row"),
    Ask(_has_copy, "the copy has no room for two windows"),
)
"""The copy has room for the windows of two neighbours, which share columns."""


def _pixels_of_copy(sums: Sums) -> int:
    """The most output pixels whose columns it has room for; less where all copies get as many."""
    across = sums.across
    columns = SIZES.most_column_bytes // (sums.channels * sums.down.height)
    most = max((columns - across.size) // across.stride + 1, 1)
    copies = -(-across.outputs // most)
    return -(-across.outputs // copies)


def _pack_columns(work: Work[Sums]) -> Packed:
    """The same, with the input values behind an output column after column."""
    sums, struct = work.facts, window_struct(work.facts)
    pixels = _pixels_of_copy(sums)
    by_column = np.ascontiguousarray(struct.weights.transpose(0, 2, 1, 3))
    columns = (pixels - 1) * sums.across.stride + sums.across.size
    params = ColumnsParams(**vars(replace(struct, weights=by_column)), most_pixels=pixels)
    packed = pack_in_vectors(replace(work, params=params))
    return replace(packed, patch=columns * sums.down.height * sums.channels)


def _kernel(
    name: str,
    template: str,
    form: Form,
    asked: Iterable[Ask],
    variant: Variant = ONLY,
) -> Kernel[Sums]:
    return Kernel(
        name=f"conv_2d_vector_{name}",
        template=_KERNELS / f"vector_{template}.c.j2",
        form=form,
        requires=frozenset((Feature.MVE, Feature.REGISTERS_32)),
        can=(BYTES, UNGROUPED, *asked, outputs_from(GROUP)),
        runtime=(
            *("products_of_four", "dot_product", "requantize", "requantize_vector"),
            *(("fill",) if form is Form.WINDOW else ()),
            *(("copy",) if template == "patch" else ()),
        ),
        variant=variant,
        pack=_pack_columns if template == "columns" else pack_in_vectors,
    )


KERNELS = (
    _kernel("pixels", "pixels", Form.POINTWISE, (PIXELS,)),
    _kernel("columns", "columns", Form.WINDOW, _OVERLAP),
    _kernel("patch", "patch", Form.WINDOW, (WINDOW, CLOSE), Dilation()),
    _kernel("dilated_patch", "patch", Form.WINDOW, (WINDOW, DILATED), Dilation(is_dilated=True)),
)
