"""FULLY_CONNECTED with the weights of eight outputs side by side: when that pays, and how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.octets import GROUP, pack_in_octets, pack_in_unsigned_octets
from tinyml_rules.ops.fully_connected.op import Params

_KERNELS = Path(__file__).parent / "kernels"

_LEAST_INPUTS = 8
"""Of a vector: with fewer, what is around the sums outweighs them."""

_SIGNED = Kernel(
    name="fully_connected_octets",
    template=_KERNELS / "octets.c.j2",
    form=Form.POINTWISE,
    requires=frozenset(("thumb", "registers_32", "multiply_64")),
    excludes=frozenset(("dsp", "mve")),
    runtime=("octet_products", "dot_products", "dot_product", "requantize"),
    pack=pack_in_octets,
)
"""Of Cortex-M3, whose products are of numbers with signs."""
_UNSIGNED = replace(
    _SIGNED,
    name="fully_connected_octets_unsigned",
    requires=frozenset(("thumb", "registers_32")),
    excludes=frozenset(("multiply_64",)),
    runtime=("octet_products_unsigned", "minus_128_times", *_SIGNED.runtime[1:]),
    values={"unsigned": "yes"},
    pack=pack_in_unsigned_octets,
)
"""Of Cortex-M0."""


def _takes(params: object, *, per_axis: bool) -> bool:
    return (
        isinstance(params, Params)
        and params.is_per_axis == per_axis
        and not params.has_nibbles
        and params.input_count >= _LEAST_INPUTS
        and params.output_count >= GROUP
    )


def _kernels(base: Kernel) -> Iterator[Kernel]:
    for per_axis in (False, True):
        name = base.name.replace("octets", "per_axis_octets") if per_axis else base.name
        values = {**base.values, **({"per_axis": "yes"} if per_axis else {})}
        in_rows = replace(
            base,
            name=f"{name}_rows",
            template=_KERNELS / "octet_rows.c.j2",
            form=Form.ROWS,
            runtime=tuple(piece for piece in base.runtime if piece != "dot_products"),
            values=values,
            pack=None,
        )
        yield replace(
            base,
            name=name,
            when=lambda params, per_axis=per_axis: _takes(params, per_axis=per_axis),
            in_rows=in_rows,
            values=values,
        )


KERNELS = (*_kernels(_SIGNED), *_kernels(_UNSIGNED))
