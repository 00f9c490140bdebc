"""FULLY_CONNECTED with the weights of two outputs in one number: when that pays, and how."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from tinyml_rules.arithmetic.weight_pairs import GROUP, fit_pairs, have_bounded_sums
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.paired import pack_in_pairs
from tinyml_rules.ops.fully_connected.op import Params

_KERNELS = Path(__file__).parent / "kernels"

_LEAST_INPUTS, _LEAST_ODD_INPUTS = 8, 20
_LEAST_PRODUCTS = 256
"""Of a vector: fewer are not worth the code, or where they are no multiple of four, not worth what
that takes.  Measured on Cortex-M4."""
_LEAST_OUTPUTS_OF_WIDENED = 24
"""With fewer, widening a vector takes more than it saves."""
_MOST_WIDENED = 192
"""Values of a vector: each takes two bytes of stack."""
_WIDENED, _PLAIN = "pair_channels_widened", "pair_channels"
"""For sums that 32 bits hold whatever the inputs are, and read in words; for all others:"""
_IN_BLOCKS = "pair_channels_in_blocks"


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


def _takes(params: object, piece: str, *, per_axis: bool) -> bool:
    """Whether a kernel that calls the piece is for the params."""
    if not isinstance(params, Params) or not _fits(params, per_axis=per_axis):
        return False
    if piece == _IN_BLOCKS:
        return True
    if params.input_count % GROUP != 0 or not have_bounded_sums(params.weights):
        return False
    is_worth = params.output_count >= _LEAST_OUTPUTS_OF_WIDENED
    return piece != _WIDENED or (is_worth and params.input_count <= _MOST_WIDENED)


def pair_kernels(name: str, **values: str) -> tuple[Kernel, ...]:
    """The kernels for one vector after the other, and the same in pieces, of the same weights; best
    first."""
    in_rows = Kernel(
        name=f"{name}_rows",
        template=_KERNELS / "pair_rows.c.j2",
        form=Form.ROWS,
        requires=frozenset(("dsp", "registers_32")),
        runtime=("pair_products", "dot_product", "copy", "requantize"),
        values=values,
    )
    return tuple(
        replace(
            in_rows,
            name=f"{name}{ending}",
            template=_KERNELS / "pairs.c.j2",
            form=Form.POINTWISE,
            when=partial(_takes, piece=piece, per_axis="per_axis" in values),
            runtime=("dot_product", "requantize", piece),
            in_rows=in_rows,
            values={**values, "piece": piece},
            pack=pack_in_pairs,
        )
        for ending, piece in (("_widened", _WIDENED), ("", _PLAIN), ("_in_blocks", _IN_BLOCKS))
    )
