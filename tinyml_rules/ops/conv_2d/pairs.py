"""CONV_2D with the weights of two output channels in one number: when that pays, and the kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from tinyml_rules.arithmetic.weight_pairs import GROUP, fit_pairs, from_pairs, in_pairs
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.program import Form, Kernel, Packed, Work
from tinyml_rules.ops.conv_2d.op import GroupParams, PointwiseParams, WindowParams

_KERNELS = Path(__file__).parent / "kernels"

_MOST_WIDENED = 128
"""Values of a pixel: those of two, widened, take four bytes of stack for each."""
_LEAST_FOR_TWO = 8
"""Output channels: with fewer, what widening takes outweighs what it saves."""

Takes = Callable[[object], bool]


def _matrix(params: PointwiseParams) -> Array:
    return params.weights.reshape(params.output_channels, -1)


def _fits(params: object) -> bool:
    is_plain = isinstance(params, PointwiseParams) and not isinstance(params, GroupParams)
    return is_plain and params.output_channels >= GROUP and fit_pairs(_matrix(params))


def _is_for_two(params: PointwiseParams) -> bool:
    """Whether two pixels at a time pay, and their values have room on the stack."""
    values = _matrix(params).shape[1]
    return GROUP <= values <= _MOST_WIDENED and params.output_channels >= _LEAST_FOR_TWO


def _is_window(params: object, *, dilated: bool) -> bool:
    return isinstance(params, WindowParams) and (params.dilation != 1) == dilated


def _pack(work: Work) -> Packed:
    """The pairs of a prepared node."""
    params = work.params
    assert isinstance(params, PointwiseParams)
    matrix = _matrix(params)
    words = in_pairs(matrix)
    assert np.array_equal(from_pairs(words, *matrix.shape), matrix), "pairs are not the weights"
    return Packed(replace(params, weights=words))


def _kernel(name: str, template: str, form: Form, takes: Takes, **values: str) -> Kernel:
    return Kernel(
        name=name,
        template=_KERNELS / template,
        form=form,
        requires=frozenset(("dsp", "registers_32")),
        when=lambda params: takes(params) and _fits(params),
        runtime=(
            *("pair_products", "dot_product", "copy", "requantize", "requantize_four"),
            *(("fill",) if form is Form.WINDOW else ()),
            *(("pair_products_of_two", "widen") if "two_pixels" in values else ()),
        ),
        values=values,
        pack=_pack,
    )


def _both(name: str, template: str, form: Form, takes: Takes, **values: str) -> tuple[Kernel, ...]:
    """The kernel for two pixels at a time, and the one for all that is too wide for it."""
    return (
        _kernel(
            f"{name}_of_two",
            template,
            form,
            lambda params: takes(params) and _is_for_two(params),
            two_pixels="yes",
            **values,
        ),
        _kernel(name, template, form, takes, **values),
    )


def _is_pixels(params: object) -> bool:
    return isinstance(params, PointwiseParams) and not isinstance(params, WindowParams)


KERNELS = (
    *_both("conv_2d_pair_pixels", "pair_pixels.c.j2", Form.POINTWISE, _is_pixels),
    *_both(
        "conv_2d_pair_patch",
        "pair_patch.c.j2",
        Form.WINDOW,
        lambda params: _is_window(params, dilated=False),
    ),
    *_both(
        "conv_2d_dilated_pair_patch",
        "pair_patch.c.j2",
        Form.WINDOW,
        lambda params: _is_window(params, dilated=True),
        dilated="yes",
    ),
)
"""Best first."""
