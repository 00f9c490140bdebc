"""FULLY_CONNECTED with the weights of two outputs in one number: when that pays, and how."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tinyml_rules.arithmetic.weight_pairs import GROUP, fit_pairs
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.paired import pack_in_pairs
from tinyml_rules.ops.fully_connected.op import Params

_KERNELS = Path(__file__).parent / "kernels"

_LEAST_INPUTS, _LEAST_ODD_INPUTS = 8, 20
_LEAST_PRODUCTS = 256
"""Of a vector: fewer are not worth the code, or where they are no multiple of four, not worth what
that takes.  Measured on Cortex-M4."""


def _fits(params: object, *, per_axis: bool) -> bool:
    if not isinstance(params, Params):
        return False
    least = _LEAST_ODD_INPUTS if params.input_count % GROUP else _LEAST_INPUTS
    return (
        params.is_per_axis == per_axis
        and not params.has_nibbles
        and params.input_count >= least
        and params.weights.size >= _LEAST_PRODUCTS
        and params.output_count >= GROUP
        and fit_pairs(params.weights)
    )


def pair_kernel(name: str, **values: str) -> Kernel:
    """The kernel for one vector after the other, and the same in pieces, of the same weights."""
    in_rows = Kernel(
        name=f"{name}_rows",
        template=_KERNELS / "pair_rows.c.j2",
        form=Form.ROWS,
        requires=frozenset(("dsp", "registers_32")),
        runtime=("pair_products", "dot_product", "copy", "requantize"),
        values=values,
    )
    return replace(
        in_rows,
        name=name,
        template=_KERNELS / "pairs.c.j2",
        form=Form.POINTWISE,
        when=lambda params: _fits(params, per_axis="per_axis" in values),
        runtime=(*in_rows.runtime, "requantize_four"),
        in_rows=in_rows,
        pack=pack_in_pairs,
    )
