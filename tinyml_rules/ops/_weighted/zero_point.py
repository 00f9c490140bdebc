"""Weights of int8 with a zero point, as models of uint8 have them: the meaning of a convolution,
from that for weights without.

acc[o] = bias[o] + sum of (weight - weights_zero_point) * (input - input_zero_point).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MIN, INT32_MAX
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.ir.program import Kernel, Work
from tinyml_rules.ir.sums import Element, Sums
from tinyml_rules.ops._shared.interval import IntervalMeaning
from tinyml_rules.ops._shared.operands import Operands
from tinyml_rules.ops._shared.operator import Check, Meaning, Oracle

_MOST_VALUES = 2**15
"""Of an output: so many products of two bytes, and as many of an input and the zero point, leave
half of int32 to the bias."""


def zero_point_of(weights: Tensor) -> int:
    """That of a checked node's weights; 0 for those that are quantized per axis."""
    assert weights.quantization is not None
    return weights.quantization.zero_points[0]


def offset_meaning(
    operands: Operands,
    check: Check,
    oracle: Oracle,
    prepare: Callable[[NodeView], Work[Sums]],
    *,
    plain: Kernel[Sums],
    interval: IntervalMeaning,
) -> Meaning[Sums]:
    """Of an operator with these rules for int8, and a kernel whose template is for every element.
    TFLM takes no zero point of weights for what it says, so that LiteRT's uint8 has to be the
    reference."""
    variant: Any = plain.variant
    kernel = replace(
        plain,
        can=(),
        runtime=(*_pieces(plain), "requantize"),
        variant=replace(variant, has_nibbles=False, dot_product="dot_product", has_zero_point=True),
    )
    weights = replace(
        operands["weights"], types=(DType.INT8,), computed=(), may_have_zero_point=True
    )
    return Meaning[Sums](
        takes=_takes,
        operands={**operands, "weights": weights},
        check=lambda view: chain(check(view), _check(view)),
        oracle=oracle,
        prepare=prepare,
        kernels=(kernel,),
        interval=interval,
    )


def _pieces(plain: Kernel[Sums]) -> tuple[str, ...]:
    has_runs = any("dot_product" in piece for piece in plain.runtime)
    return ("dot_product", "multiply_accumulate") if has_runs else ()


def _takes(view: NodeView) -> bool:
    weights, bias = view["weights"], view.optional("bias")
    quantization = weights.quantization
    is_constant = weights.is_constant and (bias is None or bias.is_constant)
    if not (view.is_of_uint8 and is_constant):
        return False
    has_one = quantization is not None and not quantization.is_per_axis
    return has_one and weights.dtype is DType.INT8 and bool(zero_point_of(weights))


def _check(view: NodeView) -> Iterator[str]:
    weights = view["weights"]
    values = weights.count // max(view.output.shape[-1], 1)
    if values > _MOST_VALUES:
        yield (
            f"weights tensor {weights} has a zero point and {values} values for an output, "
            f"expected at most {_MOST_VALUES}"
        )


def with_zero_point(sums: Sums, zero_point: int) -> Sums:
    """The sums of a matrix without the zero point, for kernels that take it off."""
    return replace(
        sums,
        element=Element.OFFSET,
        weights_zero_point=zero_point,
        overflow=sums.overflow or _overflow(sums),
    )


def _overflow(sums: Sums) -> str:
    """What a warning says where a sum can leave int32 on its way, while the zero point is not taken
    off all products."""
    biases = np.abs(sums.bias.astype(np.int64))
    channel = int(biases.argmax())
    reached = int(biases[channel]) + 2 * sums.values * INT8_MIN**2
    if reached <= INT32_MAX:
        return ""
    return f"the sum of output {channel} can reach {reached}, beyond int32: it wraps"
