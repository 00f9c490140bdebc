"""CONV_2D with weights in vectors of sixteen inputs: when that pays, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tinyml_rules.cores.mve.order import GROUP, LANES
from tinyml_rules.cores.mve.sizes import CONV_2D as SIZES
from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import ONLY, Variant
from tinyml_rules.ops._shared.vectored import pack_in_vectors
from tinyml_rules.ops.conv_2d.op import GroupParams, PointwiseParams, WindowParams
from tinyml_rules.ops.conv_2d.variants import Dilation

_KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True, eq=False)
class ColumnsParams(WindowParams):
    """The same for a window whose input is copied column by column, for at most so many output
    pixels at a time."""

    most_pixels: Int


def _fits(params: object) -> bool:
    if not isinstance(params, PointwiseParams) or isinstance(params, GroupParams):
        return False
    return params.output_channels >= GROUP


def _is_pixel(params: object) -> bool:
    return not isinstance(params, WindowParams)


def _is_window(params: object) -> bool:
    return isinstance(params, WindowParams) and params.dilation == 1


def _is_dilated(params: object) -> bool:
    return isinstance(params, WindowParams) and params.dilation != 1


def _overlaps(params: object) -> bool:
    """The copy has room for the windows of two neighbours, which share columns."""
    if not isinstance(params, WindowParams) or params.dilation != 1:
        return False
    channels, height = params.input_channels, params.window.height
    if channels > LANES or params.stride >= params.window_width or params.output_width < 2:
        return False
    place = (LANES // channels - 1) * channels * height + channels - 1
    return place <= SIZES.most_place and _pixels_of_copy(params) > 1


def _pixels_of_copy(params: WindowParams) -> int:
    """The most output pixels whose columns it has room for; less where all copies get as many."""
    columns = SIZES.most_column_bytes // (params.input_channels * params.window.height)
    most = max((columns - params.window_width) // params.stride + 1, 1)
    copies = -(-params.output_width // most)
    return -(-params.output_width // copies)


def _pack_columns(work: Work) -> Packed:
    """The same, with the input values behind an output column after column."""
    params = work.params
    assert isinstance(params, WindowParams)
    pixels = _pixels_of_copy(params)
    by_column = np.ascontiguousarray(params.weights.transpose(0, 2, 1, 3))
    columns = (pixels - 1) * params.stride + params.window_width
    packed = pack_in_vectors(replace(work, params=replace(params, weights=by_column)))
    assert isinstance(packed.params, WindowParams)
    return Packed(
        ColumnsParams(**vars(packed.params), most_pixels=pixels),
        patch=columns * params.window.height * params.input_channels,
    )


def _kernel(
    name: str,
    template: str,
    form: Form,
    takes: Callable[[object], bool],
    variant: Variant = ONLY,
) -> Kernel:
    return Kernel(
        name=f"conv_2d_vector_{name}",
        template=_KERNELS / f"vector_{template}.c.j2",
        form=form,
        requires=frozenset((Feature.MVE, Feature.REGISTERS_32)),
        when=lambda params: _fits(params) and takes(params),
        runtime=(
            *("products_of_four", "dot_product", "requantize", "requantize_vector"),
            *(("fill",) if form is Form.WINDOW else ()),
            *(("copy",) if template == "patch" else ()),
        ),
        variant=variant,
        pack=_pack_columns if template == "columns" else pack_in_vectors,
    )


KERNELS = (
    _kernel("pixels", "pixels", Form.POINTWISE, _is_pixel),
    _kernel("columns", "columns", Form.WINDOW, _overlaps),
    _kernel("patch", "patch", Form.WINDOW, _is_window, Dilation()),
    _kernel("dilated_patch", "patch", Form.WINDOW, _is_dilated, Dilation(is_dilated=True)),
)
