"""CONV_2D with the weights of eight output channels side by side: when, and how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.octets import GROUP, pack_in_octets, pack_in_unsigned_octets
from tinyml_rules.ops.conv_2d.op import GroupParams, PointwiseParams, WindowParams

_KERNELS = Path(__file__).parent / "kernels"

_LEAST_VALUES = 4
"""Behind an output: with fewer, what is around the sums outweighs them."""


def _takes(params: object) -> bool:
    if not isinstance(params, PointwiseParams) or isinstance(params, GroupParams):
        return False
    values = int(params.weights.size // params.output_channels)
    return params.output_channels >= GROUP and values >= _LEAST_VALUES


def _pixels(params: object) -> bool:
    return _takes(params) and not isinstance(params, WindowParams)


def _windows(params: object, *, dilated: bool) -> bool:
    return (
        isinstance(params, WindowParams) and _takes(params) and (params.dilation != 1) == dilated
    )


_OF_TWO = Kernel(
    name="",
    template=None,
    form=Form.POINTWISE,
    requires=frozenset(("thumb", "registers_32", "multiply_64")),
    excludes=frozenset(("dsp", "mve")),
    runtime=("octet_products_of_two", "octet_products"),
    values={"two_pixels": "yes"},
    pack=pack_in_octets,
)
"""Of Cortex-M3, whose products are of numbers with signs."""
_UNSIGNED = replace(
    _OF_TWO,
    requires=frozenset(("thumb", "registers_32")),
    excludes=frozenset(("multiply_64",)),
    runtime=("octet_products_unsigned", "minus_128_times"),
    values={"unsigned": "yes"},
    pack=pack_in_unsigned_octets,
)
"""Of Cortex-M0."""


def _kernels(base: Kernel, ending: str) -> Iterator[Kernel]:
    pixels = replace(
        base,
        name=f"conv_2d_octet_pixels{ending}",
        template=_KERNELS / "octet_pixels.c.j2",
        when=_pixels,
        runtime=(*base.runtime, "dot_products", "dot_product", "requantize"),
    )
    yield pixels
    for dilated in (False, True):
        yield replace(
            pixels,
            name=f"conv_2d_{'dilated_' if dilated else ''}octet_patch{ending}",
            template=_KERNELS / "octet_patch.c.j2",
            form=Form.WINDOW,
            when=partial(_windows, dilated=dilated),
            runtime=(*pixels.runtime, "copy", "fill"),
            values={**base.values, **({"dilated": "yes"} if dilated else {})},
        )


KERNELS = (*_kernels(_OF_TWO, "_of_two"), *_kernels(_UNSIGNED, "_unsigned"))
"""Best first."""
