"""CONV_2D with the weights of two output channels in one number: when that pays, and how."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tinyml_rules.cores.dsp.order import GROUP
from tinyml_rules.ir.features import OF_SOME_WEIGHTS, Feature
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.paired import pack_in_pairs, pack_rows_in_pairs
from tinyml_rules.ops._weighted.conditions import (
    BOUNDED,
    BYTES,
    CLOSE,
    DILATED,
    IN_PAIRS,
    PIXELS,
    UNGROUPED,
    WINDOW,
    Ask,
    outputs_from,
    outputs_in,
    values_from,
    values_up_to,
)
from tinyml_rules.ops._weighted.sums import Sums

_KERNELS = Path(__file__).parent / "kernels"

_MOST_WIDENED = 256
"""Values of a pixel: those of two, widened, take four bytes of stack for each."""
_LEAST_CHANNELS_OF_TWO = 8
"""Outputs: with fewer, what widening takes outweighs what it saves."""
_LEAST_CHANNELS_OF_ONE = 8
"""Outputs: with fewer, what tells assembly of the layer takes more than it saves."""
_LEAST_OF_WINDOW, _LEAST_OF_TWO_WINDOWS = 9, 16
_MOST_OF_ZEROS = 128
"""Products with weights of 0: more outweigh what copying values first takes."""
_LEAST_OF_PIXEL, _LEAST_OF_TWO_PIXELS, _LEAST_OF_ODD_PIXEL = 12, 8, 24
_LEAST_OF_COLUMN, _LEAST_WITH_TAIL = 24, 129
_LEAST_WITH_REST = 64
"""Values: with fewer, what is around the sums outweighs them.  All measured on Cortex-M4, with
single layers: of windows and 1x1 ones, of as many input channels as are no multiple of four, of
images one pixel wide, of output channels that are none."""

_OF_TWO = ("pair_channels_of_two", "pair_channels")

Asked = tuple[tuple[Ask, ...], tuple[Ask, ...]]
"""What a kernel can do, and where that pays."""

_PLAIN = (BYTES, UNGROUPED, outputs_from(GROUP), IN_PAIRS)
_REST = Ask(
    lambda sums: sums.outputs % GROUP == 0 or sums.values >= _LEAST_WITH_REST,
    f"outputs are left over, with fewer than {_LEAST_WITH_REST} values behind each",
)
_READS_WORDS = Ask(
    lambda sums: sums.window is not None or sums.channels % GROUP == 0,
    f"the channels of a pixel are no multiple of {GROUP}",
)
"""Nothing lies behind the last four values of a pixel that is read where it lies."""
_ROOM_FOR_TWO = (
    values_up_to(_MOST_WIDENED),
    outputs_from(_LEAST_CHANNELS_OF_TWO),
)
_TWO_A_ROW = Ask(lambda sums: sums.across.outputs > 1, "one pixel a row")


def _least_of_pixel(sums: Sums) -> int:
    return _LEAST_OF_COLUMN if sums.across.outputs == 1 else _LEAST_OF_PIXEL


def _least_of_two_pixels(sums: Sums) -> int:
    return _LEAST_OF_ODD_PIXEL if sums.values % GROUP else _LEAST_OF_TWO_PIXELS


_PIXEL: Asked = (
    (PIXELS,),
    (
        Ask(
            lambda sums: sums.values % GROUP == 0 or sums.values >= _LEAST_WITH_TAIL,
            f"fewer than {_LEAST_WITH_TAIL} values, and no multiple of {GROUP}",
        ),
        Ask(lambda sums: sums.values >= _least_of_pixel(sums), "too few values of a pixel"),
    ),
)
_TWO_PIXELS: Asked = (
    (PIXELS, _TWO_A_ROW),
    (
        Ask(lambda sums: sums.values >= _least_of_two_pixels(sums), "too few values of a pixel"),
        *_ROOM_FOR_TWO,
    ),
)


def _window(*, dilated: bool) -> Asked:
    return (WINDOW, DILATED if dilated else CLOSE), (values_from(_LEAST_OF_WINDOW),)


def _two_windows(*, dilated: bool) -> Asked:
    can, _ = _window(dilated=dilated)
    return (*can, _TWO_A_ROW), (values_from(_LEAST_OF_TWO_WINDOWS), *_ROOM_FOR_TWO)


def _filled(sums: Sums) -> int:
    """Values of a window whose rows are filled up with zeros."""
    run = sums.values // sums.down.height
    return (run + -run % GROUP) * sums.down.height


def _zeros(sums: Sums) -> int:
    """Products more than with windows that are filled up at their end alone."""
    return (_filled(sums) - sums.values - -sums.values % GROUP) * sums.outputs


def _of_two(name: str, template: str, form: Form, asked: Asked, **values: str) -> Kernel[Sums]:
    """Two pixels at a time."""
    return _kernel(
        f"{name}_of_two",
        template,
        form,
        asked,
        (*_OF_TWO, "copy", "widen"),
        two_pixels="yes",
        **values,
    )


def _of_one(
    name: str, template: str, form: Form, asked: Asked, **values: str
) -> tuple[Kernel[Sums], Kernel[Sums]]:
    """One pixel at a time; and the same in C, of any number of values and for sums of any size."""
    words, (can, pays) = {**values, "in_c": "yes"}, asked
    bounded = _kernel(
        f"{name}_bounded",
        template,
        form,
        ((*can, _READS_WORDS, BOUNDED), (*pays, outputs_from(_LEAST_CHANNELS_OF_ONE))),
        ("pair_channels",),
        **values,
    )
    return (
        replace(bounded, excludes=OF_SOME_WEIGHTS),
        _kernel(name, template, form, asked, ("pair_products", "requantize_four"), **words),
    )


_ROWS_OF_TWO = Kernel(
    name="conv_2d_pair_rows_of_two",
    template=_KERNELS / "pair_rows.c.j2",
    form=Form.WINDOW,
    requires=frozenset((Feature.DSP, Feature.REGISTERS_32)),
    can=(WINDOW, CLOSE, _TWO_A_ROW, outputs_in(GROUP), *_PLAIN),
    pays=(
        values_from(_LEAST_OF_WINDOW),
        Ask(lambda sums: _filled(sums) <= _MOST_WIDENED, f"more than {_MOST_WIDENED} values"),
        Ask(lambda sums: _zeros(sums) <= _MOST_OF_ZEROS, "rows would be filled up too far"),
        outputs_from(_LEAST_CHANNELS_OF_TWO),
        _REST,
    ),
    runtime=("copy", "widen_four", *_OF_TWO),
    values={"two_pixels": "yes", "whole_groups": "yes"},
    pack=pack_rows_in_pairs,
)
"""Two windows whose rows are widened as they lie."""


def _kernel(
    name: str, template: str, form: Form, asked: Asked, runtime: tuple[str, ...], **values: str
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
        values=values,
        pack=pack_in_pairs,
    )


def _windows(name: str, *, dilated: bool) -> tuple[Kernel[Sums], ...]:
    """Those that are copied side by side."""
    values = {"dilated": "yes"} if dilated else {}
    template = "pair_patch.c.j2"
    return (
        _of_two(name, template, Form.WINDOW, _two_windows(dilated=dilated), **values),
        *_of_one(name, template, Form.WINDOW, _window(dilated=dilated), **values),
    )


KERNELS = (
    _of_two("conv_2d_pair_pixels", "pair_pixels.c.j2", Form.POINTWISE, _TWO_PIXELS),
    *_of_one("conv_2d_pair_pixels", "pair_pixels.c.j2", Form.POINTWISE, _PIXEL),
    _ROWS_OF_TWO,
    *_windows("conv_2d_pair_patch", dilated=False),
    *_windows("conv_2d_dilated_pair_patch", dilated=True),
)
"""Best first."""
