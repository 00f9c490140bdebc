"""LEAKY_RELU: x, or alpha times x below 0."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    multiply_by_quantized_multiplier,
    quantize_multiplier,
)
from tinyml_rules.ir.c_struct import Float32, Int8
from tinyml_rules.ir.contract import Between, Multiplier, ProductShift
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP, check_factor
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.real_maps import (
    Float32Array,
    in_float32,
    map_op,
    real_kernel,
    real_map,
)
from tinyml_rules.ops._shared.rescaled_maps import RESCALED, MapParams, factor_params, int16_map
from tinyml_rules.ops._shared.scales import product, quotient


@dataclass(frozen=True)
class Attrs:
    """Options of the node."""

    alpha: float = option(0, "float32", default=0.0)


def check(view: NodeView) -> Iterator[str]:
    """Neither factor needs a shift beyond int32."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    yield from check_factor(view)
    factor = abs(attrs.alpha) * view["input"].scale / view.output.scale
    if not factor < constraints.MAX_FACTOR:  # NaN is not below it either
        yield f"alpha is {attrs.alpha:g}, too large for the scales of input and output"


@dataclass(frozen=True)
class SlopeParams(MapParams):
    """Members of the C struct for int16: values below 0 have another factor, and a sign."""

    lower_multiplier: Multiplier
    lower_shift: ProductShift
    lower_sign: Annotated[Int8, Between(-1, 1)]


def int16_params(view: NodeView) -> SlopeParams:
    """`CalculateOpDataLeakyRelu` of TFLM, whose package has doubles."""
    source, result = view["input"], view.output
    attrs: Any = view.node.attrs
    upper = factor_params(view, quotient(view, source.scale, result.scale))
    steeper = product(view, source.scale, abs(attrs.alpha))
    multiplier, shift = quantize_multiplier(quotient(view, steeper, result.scale))
    return SlopeParams(
        **vars(upper),
        lower_multiplier=multiplier,
        lower_shift=shift,
        lower_sign=-1 if math.copysign(1, attrs.alpha) < 0 else 1,
    )


@dataclass(frozen=True)
class RealParams:
    """Members of the C struct for real numbers."""

    alpha: Float32


def real_params(view: NodeView) -> RealParams:
    """From the options."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    return RealParams(attrs.alpha)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `QuantizeLeakyRelu` of TFLM."""
    source, result = view["input"], view.output
    attrs: Any = view.node.attrs
    distances = values[source.index].astype(np.int64) - source.zero_point
    steeper = product(view, source.scale, abs(attrs.alpha))
    above = quantize_multiplier(quotient(view, source.scale, result.scale))
    below = quantize_multiplier(quotient(view, steeper, result.scale))
    sign = -1 if math.copysign(1, attrs.alpha) < 0 else 1
    scaled = np.where(
        distances >= 0,
        multiply_by_quantized_multiplier(distances, *above),
        sign * multiply_by_quantized_multiplier(distances, *below),
    )
    clamped = np.clip(scaled + result.zero_point, *result.dtype.limits)
    return np.asarray(clamped, result.dtype.numpy)


@in_float32
def oracle_of_reals(values: Float32Array, attrs: Any) -> Array:
    """`LeakyRelu` of TFLM."""
    return np.where(values > 0, values, values * np.float32(attrs.alpha))


OP = map_op(
    "leaky_relu",
    98,
    real_kernel(
        real_map(oracle_of_reals),
        "leaky_relu",
        "value > 0.0f ? value : value * params->alpha",
        params_of=real_params,
    ),
    int16_map(
        "leaky_relu",
        oracle,
        int16_params,
        expression=f"value >= 0 ? {RESCALED} : params->lower_sign\n"
        "            * @rescale(value, params->lower_multiplier, params->lower_shift)",
        what="moved to the output's scale, below 0 times alpha",
        check=check,
    ),
    Meaning(operands=INT8_MAP, check=check, oracle=oracle),
    summary="int8, int16, input and output may be quantized differently; float32",
    options_type=75,
    attrs=Attrs,
    quantization=FREE,
)
