"""FULLY_CONNECTED with the weights of two outputs in one number: when that pays, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tinyml_rules.cores.dsp.order import BOUNDED, GROUP, IN_PAIRS
from tinyml_rules.cores.dsp.scratch import of_layer, of_widened
from tinyml_rules.cores.dsp.sizes import FULLY_CONNECTED as SIZES
from tinyml_rules.ir.buffers import Scratch
from tinyml_rules.ir.features import OF_SOME_WEIGHTS, Feature
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.sum_conditions import (
    BYTES,
    Ask,
    of_scale,
    outputs_from,
    values_from,
    values_up_to,
)
from tinyml_rules.ir.sums import Scale, Sums
from tinyml_rules.ops._shared.paired import pack_in_pairs
from tinyml_rules.ops.fully_connected.variants import Scales

_KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True, kw_only=True)
class Layer(Scales):
    """Words of the template of all outputs in one piece."""

    piece: str
    """The piece that makes them."""


def _least_inputs(sums: Sums) -> int:
    return SIZES.least_odd_inputs if sums.values % GROUP else SIZES.least_inputs


_MORE_VALUES = values_from(GROUP + 1)
"""Assembly takes the first four values otherwise than the next ones."""
_PAIRS = (BYTES, outputs_from(GROUP), IN_PAIRS)
_PAY = (
    Ask(lambda sums: sums.values >= _least_inputs(sums), "too few inputs"),
    Ask(
        lambda sums: sums.matrix.size >= SIZES.least_products,
        f"fewer than {SIZES.least_products} products",
    ),
)
_LAYER_PAYS = (*_PAY, outputs_from(SIZES.least_outputs))


def _is_worth_widening(sums: Sums) -> bool:
    return sums.values % GROUP != 0 or sums.outputs >= SIZES.least_outputs_of_widened


_LAYERS: tuple[
    tuple[str, str, tuple[Ask, ...], tuple[Ask, ...], Callable[[Work[Sums]], Scratch]], ...
] = (
    (
        "widened",
        "pair_channels_widened",
        (),
        (
            Ask(_is_worth_widening, f"fewer than {SIZES.least_outputs_of_widened} outputs"),
            values_up_to(SIZES.most_widened),
        ),
        of_widened,
    ),
    (
        "bounded",
        "pair_channels",
        (Ask(lambda sums: sums.values % GROUP == 0, f"the inputs are no multiple of {GROUP}"),),
        (),
        of_layer,
    ),
)
"""For sums that 32 bits hold whatever the inputs are: ending, piece, what the kernel can do, where
it pays, and the scratch memory that it needs."""


def pair_kernels(name: str, scale: Scale) -> tuple[Kernel[Sums], ...]:
    """The kernels for one vector after the other, and the same in pieces, of the same weights; best
    first."""
    plain = (of_scale(scale), *_PAIRS)
    in_rows = Kernel[Sums](
        name=f"{name}_rows",
        template=_KERNELS / "pair_rows.c.j2",
        form=Form.ROWS,
        requires=frozenset((Feature.DSP, Feature.REGISTERS_32)),
        runtime=("pair_products", "dot_product", "copy", "requantize"),
        variant=Scales(is_per_axis=scale is Scale.EACH),
    )
    whole = replace(in_rows, form=Form.POINTWISE, in_rows=in_rows, pack=pack_in_pairs)
    of_layer = (
        replace(
            whole,
            name=f"{name}_{ending}",
            template=_KERNELS / "pair_layer.c.j2",
            can=(*plain, *can, BOUNDED, _MORE_VALUES),
            pays=(*_LAYER_PAYS, *pays),
            runtime=("dot_product", "requantize", piece),
            variant=Layer(piece=piece, is_per_axis=scale is Scale.EACH),
            scratch=scratch,
            excludes=OF_SOME_WEIGHTS,
        )
        for ending, piece, can, pays, scratch in _LAYERS
    )
    of_any = replace(
        whole,
        name=name,
        template=_KERNELS / "pairs.c.j2",
        can=plain,
        pays=_PAY,
        runtime=(*in_rows.runtime, "requantize_four"),
    )
    return *of_layer, of_any
