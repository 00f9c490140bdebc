"""CONV_2D with the weights of two output channels in one number: when that pays, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tinyml_rules.cores.dsp.order import GROUP, fit_pairs, have_bounded_sums
from tinyml_rules.cores.dsp.sizes import CONV_2D as SIZES
from tinyml_rules.ir.features import OF_SOME_WEIGHTS, Feature
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.paired import in_whole_rows, pack_in_pairs, pack_rows_in_pairs
from tinyml_rules.ops.conv_2d.op import ColumnParams, GroupParams, PointwiseParams, WindowParams
from tinyml_rules.ops.conv_2d.variants import Dilation

_KERNELS = Path(__file__).parent / "kernels"


_OF_TWO = ("pair_channels_of_two", "pair_channels")

Takes = Callable[[object], bool]


@dataclass(frozen=True, kw_only=True)
class Pairs(Dilation):
    """Words of the templates."""

    has_two_pixels: bool = False
    """Whether two output pixels are made at a time."""
    is_in_c: bool = False
    """Whether sums are made in C, for those of any size, and not by the piece `pair_channels`."""
    has_whole_groups: bool = False
    """Whether the output channels are a multiple of four."""


def _reads_words(params: PointwiseParams) -> bool:
    """Whether nothing lies behind the last four values of a pixel that is read where it lies."""
    return isinstance(params, WindowParams) or params.input_channels % GROUP == 0


def _is_bounded(params: object) -> bool:
    assert isinstance(params, PointwiseParams)
    is_worth = params.output_channels >= SIZES.least_channels_of_one
    return is_worth and _reads_words(params) and have_bounded_sums(params.matrix)


def _fits(params: object) -> bool:
    if not isinstance(params, PointwiseParams) or isinstance(params, GroupParams):
        return False
    outputs = params.output_channels
    is_worth = outputs % GROUP == 0 or params.values >= SIZES.least_with_rest
    return outputs >= GROUP and is_worth and fit_pairs(params.matrix)


def _has_room_for_two(params: PointwiseParams) -> bool:
    is_narrow = params.values <= SIZES.most_widened
    return is_narrow and params.output_channels >= SIZES.least_channels_of_two


def _is_window(params: object, *, dilated: bool) -> bool:
    if not isinstance(params, WindowParams) or (params.dilation != 1) != dilated:
        return False
    return params.values >= SIZES.least_of_window


def _is_two_windows(params: object, *, dilated: bool) -> bool:
    return (
        isinstance(params, WindowParams)
        and _is_window(params, dilated=dilated)
        and params.output_width > 1
        and params.values >= SIZES.least_of_two_windows
        and _has_room_for_two(params)
    )


def _is_two_rows(params: object) -> bool:
    """Two windows whose rows are widened as they lie; filled up, they make few products more."""
    if not isinstance(params, WindowParams) or params.dilation != 1 or params.output_width == 1:
        return False
    values, outputs = params.values, params.output_channels
    filled = in_whole_rows(params.weights).shape[1]
    more = (filled - values - -values % GROUP) * outputs
    return (
        values >= SIZES.least_of_window
        and filled <= SIZES.most_widened
        and more <= SIZES.most_of_zeros
        and outputs % GROUP == 0
        and outputs >= SIZES.least_channels_of_two
    )


def _is_pixel(params: object) -> bool:
    if not isinstance(params, PointwiseParams) or isinstance(params, WindowParams):
        return False
    values = params.input_channels
    is_read_in_words = values % GROUP == 0 or values >= SIZES.least_with_tail
    least = SIZES.least_of_column if isinstance(params, ColumnParams) else SIZES.least_of_pixel
    return is_read_in_words and values >= least


def _is_two_pixels(params: object) -> bool:
    if not isinstance(params, PointwiseParams) or isinstance(params, WindowParams | ColumnParams):
        return False
    values = params.input_channels
    least = SIZES.least_of_odd_pixel if values % GROUP else SIZES.least_of_two_pixels
    return values >= least and _has_room_for_two(params)


def _of_two(
    name: str, template: str, form: Form, takes: Takes, *, is_dilated: bool = False
) -> Kernel:
    """Two pixels at a time."""
    return _kernel(
        f"{name}_of_two",
        template,
        form,
        takes,
        (*_OF_TWO, "copy", "widen"),
        variant=Pairs(has_two_pixels=True, is_dilated=is_dilated),
    )


def _of_one(
    name: str, template: str, form: Form, takes: Takes, *, is_dilated: bool = False
) -> tuple[Kernel, Kernel]:
    """One pixel at a time; and the same in C, of any number of values and for sums of any size."""
    bounded = _kernel(
        f"{name}_bounded",
        template,
        form,
        lambda params: takes(params) and _is_bounded(params),
        ("pair_channels",),
        variant=Pairs(is_dilated=is_dilated),
    )
    return (
        replace(bounded, excludes=OF_SOME_WEIGHTS),
        _kernel(
            name,
            template,
            form,
            takes,
            ("pair_products", "requantize_four"),
            variant=Pairs(is_in_c=True, is_dilated=is_dilated),
        ),
    )


_ROWS_OF_TWO = Kernel(
    name="conv_2d_pair_rows_of_two",
    template=_KERNELS / "pair_rows.c.j2",
    form=Form.WINDOW,
    requires=frozenset((Feature.DSP, Feature.REGISTERS_32)),
    when=lambda params: _is_two_rows(params) and _fits(params),
    runtime=("copy", "widen_four", *_OF_TWO),
    variant=Pairs(has_two_pixels=True, has_whole_groups=True),
    pack=pack_rows_in_pairs,
)


def _kernel(
    name: str,
    template: str,
    form: Form,
    takes: Takes,
    runtime: tuple[str, ...],
    *,
    variant: Pairs,
) -> Kernel:
    return Kernel(
        name=name,
        template=_KERNELS / template,
        form=form,
        requires=frozenset((Feature.DSP, Feature.REGISTERS_32)),
        when=lambda params: takes(params) and _fits(params),
        runtime=(
            *("dot_product", "requantize"),
            *(("copy", "fill") if form is Form.WINDOW else ()),
            *runtime,
        ),
        variant=variant,
        pack=pack_in_pairs,
    )


def _windows(name: str, *, dilated: bool) -> tuple[Kernel, ...]:
    """Those that are copied side by side."""
    two, one = (partial(takes, dilated=dilated) for takes in (_is_two_windows, _is_window))
    template = "pair_patch.c.j2"
    return (
        _of_two(name, template, Form.WINDOW, two, is_dilated=dilated),
        *_of_one(name, template, Form.WINDOW, one, is_dilated=dilated),
    )


KERNELS = (
    _of_two("conv_2d_pair_pixels", "pair_pixels.c.j2", Form.POINTWISE, _is_two_pixels),
    *_of_one("conv_2d_pair_pixels", "pair_pixels.c.j2", Form.POINTWISE, _is_pixel),
    _ROWS_OF_TWO,
    *_windows("conv_2d_pair_patch", dilated=False),
    *_windows("conv_2d_dilated_pair_patch", dilated=True),
)
"""Best first."""
