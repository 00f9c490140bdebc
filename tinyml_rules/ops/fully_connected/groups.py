"""FULLY_CONNECTED with the weights of some outputs side by side: when that pays, and how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.in_groups import pack_in_groups, pack_unsigned_in_groups
from tinyml_rules.ops.fully_connected.op import Params

_KERNELS = Path(__file__).parent / "kernels"

_LEAST_INPUTS = 8
"""Of a vector: with fewer, what is around the sums outweighs them."""

_CORTEX_M3 = Kernel(
    name="by_4",
    template=_KERNELS / "groups.c.j2",
    form=Form.POINTWISE,
    requires=frozenset(("thumb", "multiply_64")),
    excludes=frozenset(("dsp", "mve")),
    runtime=("products_4_by_1", "dot_product", "requantize"),
    values={"group": 4, "products": "products_4_by_1"},
    pack=partial(pack_in_groups, size=4),
)
_CORTEX_M0 = Kernel(
    name="by_8",
    template=_KERNELS / "groups.c.j2",
    form=Form.POINTWISE,
    requires=frozenset(("thumb", "registers_32")),
    excludes=frozenset(("multiply_64",)),
    runtime=("products_8_by_1_unsigned", "minus_128_times", "dot_product", "requantize"),
    values={"group": 8, "products": "products_8_by_1_unsigned", "offset": "minus_128_times"},
    pack=partial(pack_unsigned_in_groups, size=8),
)


def _takes(params: object, *, group: int, per_axis: bool) -> bool:
    return (
        isinstance(params, Params)
        and params.is_per_axis == per_axis
        and not params.has_nibbles
        and params.input_count >= _LEAST_INPUTS
        and params.output_count >= group
    )


def _kernels(base: Kernel, *, group: int) -> Iterator[Kernel]:
    for per_axis in (False, True):
        name = f"fully_connected_{'per_axis_' if per_axis else ''}{base.name}"
        values = {**base.values, **({"per_axis": "yes"} if per_axis else {})}
        in_rows = replace(
            base,
            name=f"{name}_rows",
            template=_KERNELS / "group_rows.c.j2",
            form=Form.ROWS,
            values=values,
            pack=None,
        )
        yield replace(
            base,
            name=name,
            when=partial(_takes, group=group, per_axis=per_axis),
            in_rows=in_rows,
            values=values,
        )


KERNELS = (*_kernels(_CORTEX_M3, group=4), *_kernels(_CORTEX_M0, group=8))
"""Best first."""
