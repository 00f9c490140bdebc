"""FULLY_CONNECTED with the weights of two outputs in one number: when that pays, and how."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tinyml_rules.cores.dsp.order import GROUP, fit_pairs, have_bounded_sums
from tinyml_rules.cores.dsp.sizes import FULLY_CONNECTED as SIZES
from tinyml_rules.ir.features import OF_SOME_WEIGHTS, Feature
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.paired import pack_in_pairs
from tinyml_rules.ops.fully_connected.op import Params
from tinyml_rules.ops.fully_connected.variants import Scales

_KERNELS = Path(__file__).parent / "kernels"

_WIDENED, _PLAIN = "pair_channels_widened", "pair_channels"
"""For sums that 32 bits hold whatever the inputs are; the second for whole words of values."""


@dataclass(frozen=True, kw_only=True)
class Layer(Scales):
    """Words of the template of all outputs in one piece."""

    piece: str
    """The piece that makes them."""


def _fits(params: object, *, per_axis: bool) -> bool:
    if not isinstance(params, Params):
        return False
    least = SIZES.least_odd_inputs if params.input_count % GROUP else SIZES.least_inputs
    return (
        params.is_per_axis == per_axis
        and not params.has_nibbles
        and params.input_count >= least
        and params.weights.size >= SIZES.least_products
        and params.output_count >= GROUP
        and fit_pairs(params.weights)
    )


def _takes_layer(params: object, piece: str, *, per_axis: bool) -> bool:
    """Whether the kernel that calls the piece is for the params."""
    if not isinstance(params, Params) or not _fits(params, per_axis=per_axis):
        return False
    is_odd = params.input_count % GROUP != 0
    if params.output_count < SIZES.least_outputs or not have_bounded_sums(params.weights):
        return False
    if piece == _PLAIN:
        return not is_odd
    is_worth = is_odd or params.output_count >= SIZES.least_outputs_of_widened
    return is_worth and params.input_count <= SIZES.most_widened


def pair_kernels(name: str, *, is_per_axis: bool = False) -> tuple[Kernel, ...]:
    """The kernels for one vector after the other, and the same in pieces, of the same weights; best
    first."""
    in_rows = Kernel(
        name=f"{name}_rows",
        template=_KERNELS / "pair_rows.c.j2",
        form=Form.ROWS,
        requires=frozenset((Feature.DSP, Feature.REGISTERS_32)),
        runtime=("pair_products", "dot_product", "copy", "requantize"),
        variant=Scales(is_per_axis=is_per_axis),
    )
    whole = replace(
        in_rows,
        form=Form.POINTWISE,
        in_rows=in_rows,
        pack=pack_in_pairs,
    )
    of_layer = (
        replace(
            whole,
            name=f"{name}_{ending}",
            template=_KERNELS / "pair_layer.c.j2",
            when=partial(_takes_layer, piece=piece, per_axis=is_per_axis),
            runtime=("dot_product", "requantize", piece),
            variant=Layer(piece=piece, is_per_axis=is_per_axis),
            excludes=OF_SOME_WEIGHTS,
        )
        for ending, piece in (("widened", _WIDENED), ("bounded", _PLAIN))
    )
    of_any = replace(
        whole,
        name=name,
        template=_KERNELS / "pairs.c.j2",
        when=partial(_fits, per_axis=is_per_axis),
        runtime=(*in_rows.runtime, "requantize_four"),
    )
    return *of_layer, of_any
