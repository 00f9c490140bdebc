"""Options of operators whose only relevant option is a fused activation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation, clamp_range
from tinyml_rules.ir.c_struct import Short
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared import constraints

MOST_REAL = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class ActivationAttrs:
    activation: int = option(0, "int8")


def activation_of(view: NodeView) -> int:
    """The fused activation, as its number in the schema's ActivationFunctionType."""
    attrs = view.node.attrs
    assert isinstance(attrs, ActivationAttrs)
    return attrs.activation


def check_activation(view: NodeView) -> Iterator[str]:
    """The fused activation is one that clamps."""
    yield from constraints.fused_activation(activation_of(view), view.output)


def clamps_of(activation: int, result: Tensor) -> tuple[int, int]:
    """The bounds of a fused activation in the output's quantization, as members of the C struct: of
    int8, or of int16."""
    low, high = clamp_range(
        Activation(activation),
        scale=result.scale,
        zero_point=result.zero_point,
        limits=result.dtype.limits,
    )
    return (Short(low), Short(high)) if result.dtype is DType.INT16 else (low, high)


def plain_bounds(activation: int, dtype: DType) -> tuple[float, float]:
    """The bounds of a fused activation in integers or float32 (`CalculateActivationRange` of TFLM);
    in float32 even NONE excludes the infinities."""
    least, most = (-MOST_REAL, MOST_REAL) if dtype.is_real else dtype.limits
    return {
        Activation.NONE: (least, most),
        Activation.RELU: (0, most),
        Activation.RELU6: (0, 6),
        Activation.RELU_N1_TO_1: (-1, 1),
    }[Activation(activation)]
