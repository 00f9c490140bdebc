"""The weighted sums of a checked node with constant weights, from its tensors."""

from __future__ import annotations

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation, clamp_range
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ir.sums import Element, Sums
from tinyml_rules.ops._shared.accumulate import SumBounds, fold_bias


def sums_of_node(
    view: NodeView,
    matrix: Array,
    scale: tuple[int | Array, int | Array],
    bounds: SumBounds,
    *,
    activation: int,
    element: Element,
    channels: int,
    group: int,
) -> Sums:
    """Those of every pixel, or vector, alone.  `matrix`: int8 [outputs][values], without a zero
    point; `scale`: (multiplier, shift), one or one an output; the others are as Sums has them."""
    source, result = view["input"], view.output
    clamp_min, clamp_max = clamp_range(
        Activation(activation), scale=result.scale, zero_point=result.zero_point
    )
    return Sums(
        matrix=matrix,
        bias=fold_bias(
            view.optional("bias"),
            weight_sums=matrix.astype(np.int64).sum(axis=1),
            input_zero_point=source.zero_point,
        ),
        requantization=Requantization(
            *scale,
            output_zero_point=result.zero_point,
            clamp_min=clamp_min,
            clamp_max=clamp_max,
            most_sum=bounds.most,
        ),
        element=element,
        channels=channels,
        group=group,
        input_zero_point=source.zero_point,
        overflow=bounds.overflow,
    )
