"""FULLY_CONNECTED with the weights of two outputs in one number: when that pays, and how."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tinyml_rules.cores.dsp.order import GROUP
from tinyml_rules.ir.features import OF_SOME_WEIGHTS, Feature
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.paired import pack_in_pairs
from tinyml_rules.ops._weighted.conditions import (
    BOUNDED,
    BYTES,
    IN_PAIRS,
    Ask,
    of_scale,
    outputs_from,
    values_up_to,
)
from tinyml_rules.ops._weighted.sums import Scale, Sums

_KERNELS = Path(__file__).parent / "kernels"

_LEAST_INPUTS, _LEAST_ODD_INPUTS = 8, 20
_LEAST_PRODUCTS = 96
"""Of a vector: fewer are not worth the code, or where they are no multiple of four, not worth what
that takes.  Measured on Cortex-M4."""
_LEAST_OUTPUTS, _LEAST_OUTPUTS_OF_WIDENED = 8, 24
"""With fewer, what tells assembly of the layer takes more than it saves, and widening a vector."""
_MOST_WIDENED = 192
"""Values of a vector: each takes two bytes of stack."""


_PAIRS = (BYTES, outputs_from(GROUP), IN_PAIRS)
_PAY = (
    Ask(
        lambda sums: sums.values >= (_LEAST_ODD_INPUTS if sums.values % GROUP else _LEAST_INPUTS),
        "too few inputs",
    ),
    Ask(lambda sums: sums.matrix.size >= _LEAST_PRODUCTS, f"fewer than {_LEAST_PRODUCTS} products"),
)
_LAYER_PAYS = (*_PAY, outputs_from(_LEAST_OUTPUTS))


def _is_worth_widening(sums: Sums) -> bool:
    return sums.values % GROUP != 0 or sums.outputs >= _LEAST_OUTPUTS_OF_WIDENED


_LAYERS: tuple[tuple[str, str, tuple[Ask, ...], tuple[Ask, ...]], ...] = (
    (
        "widened",
        "pair_channels_widened",
        (),
        (
            Ask(_is_worth_widening, f"fewer than {_LEAST_OUTPUTS_OF_WIDENED} outputs"),
            values_up_to(_MOST_WIDENED),
        ),
    ),
    (
        "bounded",
        "pair_channels",
        (Ask(lambda sums: sums.values % GROUP == 0, f"the inputs are no multiple of {GROUP}"),),
        (),
    ),
)
"""For sums that 32 bits hold whatever the inputs are: ending, piece, what the kernel can do and
where it pays."""


def pair_kernels(name: str, scale: Scale, **values: str) -> tuple[Kernel[Sums], ...]:
    """The kernels for one vector after the other, and the same in pieces, of the same weights; best
    first."""
    plain = (of_scale(scale), *_PAIRS)
    in_rows = Kernel[Sums](
        name=f"{name}_rows",
        template=_KERNELS / "pair_rows.c.j2",
        form=Form.ROWS,
        requires=frozenset((Feature.DSP, Feature.REGISTERS_32)),
        runtime=("pair_products", "dot_product", "copy", "requantize"),
        values=values,
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
            can=(*plain, *can, BOUNDED),
            pays=(*_LAYER_PAYS, *pays),
            runtime=("dot_product", "requantize", piece),
            values={**values, "piece": piece},
            excludes=OF_SOME_WEIGHTS,
        )
        for ending, piece, can, pays in _LAYERS
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
