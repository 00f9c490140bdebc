"""The weighted sums of a checked node with constant weights, from its tensors."""

from __future__ import annotations

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation, clamp_range
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ir.sums import Element, Sums
from tinyml_rules.ops._shared.accumulate import SumBounds, fold_bias, sum_bounds
from tinyml_rules.ops._weighted.int16x8 import of_int16


def sums_of_node(
    view: NodeView,
    matrix: Array,
    scale: tuple[int | Array, int | Array],
    *,
    activation: int,
    channels: int,
    group: int,
    bounds: SumBounds | None = None,
) -> Sums:
    """Those of every pixel, or vector, alone.  `matrix`: int8 [outputs][values], without a zero
    point; `scale`: (multiplier, shift), one or one an output; `bounds`: None where the sums are
    rescaled as TFLM does; the others are as Sums has them."""
    source = view["input"]
    bounds = bounds or sum_bounds(view, matrix, *scale)
    sums = Sums(
        matrix=matrix,
        bias=fold_bias(
            view.optional("bias"),
            weight_sums=matrix.astype(np.int64).sum(axis=1),
            input_zero_point=source.zero_point,
        ),
        requantization=_requantization(view.output, scale, Activation(activation), bounds.most),
        element=_element(matrix, view["weights"].dtype),
        channels=channels,
        group=group,
        input_zero_point=source.zero_point,
        overflow=bounds.overflow,
        input_limits=_limits(view),
    )
    return of_int16(view, sums) if source.dtype is DType.INT16 else sums


def _limits(view: NodeView) -> tuple[int, int]:
    """Of the values of the input, and its zero point, which padding has."""
    source = view["input"]
    least, most = view.graph.known.values.get(source.index, source.dtype.limits)
    return min(least, source.zero_point), max(most, source.zero_point)


def _requantization(
    result: Tensor, scale: tuple[int | Array, int | Array], activation: Activation, most_sum: int
) -> Requantization:
    clamp_min, clamp_max = clamp_range(
        activation, scale=result.scale, zero_point=result.zero_point, limits=result.dtype.limits
    )
    return Requantization(
        *scale,
        output_zero_point=result.zero_point,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
        most_sum=most_sum,
    )


def _element(matrix: Array, dtype: DType) -> Element:
    """Four bits where weights still are that without their zero point."""
    fits = int(matrix.min()) >= -8 and int(matrix.max()) <= 7
    return Element.INT4 if dtype is DType.INT4 and fits else Element.INT8
