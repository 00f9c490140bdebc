"""CONV_2D with the weights of two output channels in one number: when that pays, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tinyml_rules.cores.dsp.order import BOUNDED, GROUP, IN_PAIRS
from tinyml_rules.cores.dsp.scratch import filled, of_pixels, of_rows, of_window, of_windows
from tinyml_rules.cores.dsp.sizes import CONV_2D as SIZES
from tinyml_rules.ir.buffers import Scratch
from tinyml_rules.ir.features import OF_SOME_WEIGHTS, Feature
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
    outputs_in,
    values_from,
)
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ops._shared.paired import pack_in_pairs, pack_rows_in_pairs
from tinyml_rules.ops.conv_2d.variants import Dilation

_KERNELS = Path(__file__).parent / "kernels"


_OF_TWO = ("pair_channels_of_two", "pair_channels")

Asked = tuple[tuple[Ask, ...], tuple[Ask, ...]]
"""What a kernel can do, and where that pays."""

_PLAIN = (BYTES, UNGROUPED, outputs_from(GROUP), IN_PAIRS)
_REST = Ask(
    lambda sums: sums.outputs % GROUP == 0 or sums.values >= SIZES.least_with_rest,
    f"outputs are left over, with fewer than {SIZES.least_with_rest} values behind each",
)
_READS_WORDS = Ask(
    lambda sums: sums.window is not None or sums.channels % GROUP == 0,
    f"the channels of a pixel are no multiple of {GROUP}",
)
"""Nothing lies behind the last four values of a pixel that is read where it lies."""
_MORE_VALUES = values_from(GROUP + 1)
"""Assembly takes the first four values otherwise than the next ones."""
_FOR_TWO = outputs_from(SIZES.least_channels_of_two)
_TWO_A_ROW = Ask(lambda sums: sums.across.outputs > 1, "one pixel a row")


@dataclass(frozen=True, kw_only=True)
class Pairs(Dilation):
    """Words of the templates."""

    has_two_pixels: bool = False
    """Whether two output pixels are made at a time."""
    is_in_c: bool = False
    """Whether sums are made in C, for those of any size, and not by the piece `pair_channels`."""
    has_whole_groups: bool = False
    """Whether the output channels are a multiple of four."""


def _least_of_pixel(sums: Sums) -> int:
    return SIZES.least_of_column if sums.across.outputs == 1 else SIZES.least_of_pixel


def _least_of_two_pixels(sums: Sums) -> int:
    return SIZES.least_of_odd_pixel if sums.values % GROUP else SIZES.least_of_two_pixels


_PIXEL: Asked = (
    (PIXELS,),
    (
        Ask(
            lambda sums: sums.values % GROUP == 0 or sums.values >= SIZES.least_with_tail,
            f"fewer than {SIZES.least_with_tail} values, and no multiple of {GROUP}",
        ),
        Ask(lambda sums: sums.values >= _least_of_pixel(sums), "too few values of a pixel"),
    ),
)
_TWO_PIXELS: Asked = (
    (PIXELS, _TWO_A_ROW, _MORE_VALUES),
    (
        Ask(lambda sums: sums.values >= _least_of_two_pixels(sums), "too few values of a pixel"),
        _FOR_TWO,
    ),
)


def _window(*, dilated: bool) -> Asked:
    return (WINDOW, DILATED if dilated else CLOSE), (values_from(SIZES.least_of_window),)


def _two_windows(*, dilated: bool) -> Asked:
    can, _ = _window(dilated=dilated)
    return (*can, _TWO_A_ROW, _MORE_VALUES), (values_from(SIZES.least_of_two_windows), _FOR_TWO)


def _zeros(sums: Sums) -> int:
    """Products more than with windows that are filled up at their end alone."""
    return (filled(sums) - sums.values - -sums.values % GROUP) * sums.outputs


def _of_two(
    name: str, template: str, form: Form, asked: Asked, *, is_dilated: bool = False
) -> Kernel[Sums]:
    """Two pixels at a time."""
    return _kernel(
        f"{name}_of_two",
        template,
        form,
        asked,
        (*_OF_TWO, "copy", "widen_two"),
        variant=Pairs(has_two_pixels=True, is_dilated=is_dilated),
        scratch=of_pixels if form is Form.POINTWISE else of_windows,
    )


def _of_one(
    name: str, template: str, form: Form, asked: Asked, *, is_dilated: bool = False
) -> tuple[Kernel[Sums], Kernel[Sums]]:
    """One pixel at a time; and the same in C, of any number of values and for sums of any size."""
    can, pays = asked
    scratch = None if form is Form.POINTWISE else of_window
    bounded = _kernel(
        f"{name}_bounded",
        template,
        form,
        (
            (*can, _READS_WORDS, BOUNDED, _MORE_VALUES),
            (*pays, outputs_from(SIZES.least_channels_of_one)),
        ),
        ("pair_channels",),
        variant=Pairs(is_dilated=is_dilated),
        scratch=scratch,
    )
    return (
        replace(bounded, excludes=OF_SOME_WEIGHTS),
        _kernel(
            name,
            template,
            form,
            asked,
            ("pair_products", "requantize_four"),
            variant=Pairs(is_in_c=True, is_dilated=is_dilated),
            scratch=scratch,
        ),
    )


_ROWS_OF_TWO = Kernel(
    name="conv_2d_pair_rows_of_two",
    template=_KERNELS / "pair_rows.c.j2",
    form=Form.WINDOW,
    requires=frozenset((Feature.DSP, Feature.REGISTERS_32)),
    can=(WINDOW, CLOSE, _TWO_A_ROW, _MORE_VALUES, outputs_in(GROUP), *_PLAIN),
    pays=(
        values_from(SIZES.least_of_window),
        Ask(lambda sums: _zeros(sums) <= SIZES.most_of_zeros, "rows would be filled up too far"),
        outputs_from(SIZES.least_channels_of_two),
        _REST,
    ),
    runtime=("copy", "widen_two", *_OF_TWO),
    variant=Pairs(has_two_pixels=True, has_whole_groups=True),
    scratch=of_rows,
    pack=pack_rows_in_pairs,
)
"""Two windows whose rows are widened as they lie."""


def _kernel(
    name: str,
    template: str,
    form: Form,
    asked: Asked,
    runtime: tuple[str, ...],
    *,
    variant: Pairs,
    scratch: Callable[[Work[Sums]], Scratch] | None,
) -> Kernel[Sums]:
    can, pays = asked
    return Kernel(
        name=name,
        template=_KERNELS / template,
        form=form,
        requires=frozenset((Feature.DSP, Feature.REGISTERS_32)),
        can=(*can, *_PLAIN),
        pays=(*pays, _REST),
        runtime=(
            *("dot_product", "requantize"),
            *(("copy", "fill") if form is Form.WINDOW else ()),
            *runtime,
        ),
        variant=variant,
        scratch=scratch,
        pack=pack_in_pairs,
    )


def _windows(name: str, *, dilated: bool) -> tuple[Kernel[Sums], ...]:
    """Those that are copied side by side."""
    template = "pair_patch.c.j2"
    return (
        _of_two(name, template, Form.WINDOW, _two_windows(dilated=dilated), is_dilated=dilated),
        *_of_one(name, template, Form.WINDOW, _window(dilated=dilated), is_dilated=dilated),
    )


KERNELS = (
    replace(
        _of_two("conv_2d_pair_pixels", "pair_pixels.c.j2", Form.POINTWISE, _TWO_PIXELS),
        copies_unit=True,
    ),
    *_of_one("conv_2d_pair_pixels", "pair_pixels.c.j2", Form.POINTWISE, _PIXEL),
    _ROWS_OF_TWO,
    *_windows("conv_2d_pair_patch", dilated=False),
    *_windows("conv_2d_dilated_pair_patch", dilated=True),
)
"""Best first."""
