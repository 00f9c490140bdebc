"""GELU: x times the normal distribution's share below x, exact or approximated with tanh;
LiteRT's."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tinyml_rules.arithmetic.real_error_function import real_erfc
from tinyml_rules.arithmetic.real_hyperbolic import real_tanh
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared.constraints import takes_real
from tinyml_rules.ops._shared.looked_up import looked_up
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.real_maps import (
    Float32Array,
    in_float32,
    map_op,
    real_kernel,
    real_map,
)


@dataclass(frozen=True)
class Attrs:
    """Options of the node."""

    approximate: bool = option(0, "bool", default=False)


_HALF, _ONE, _CUBIC = np.float32(0.5), np.float32(1), np.float32(0.044715)
_MINUS_ROOT_OF_HALF = np.float32(-math.sqrt(0.5))
_ROOT_OF_2_OVER_PI = np.float32(math.sqrt(2 / math.pi))


def _gelu(values: Float32Array, attrs: Any) -> Array:
    """`GeluTransform` and `GeluTransformApproximate` of LiteRT: products and sums in float32."""
    if not attrs.approximate:
        return _HALF * values * real_erfc(values * _MINUS_ROOT_OF_HALF)
    inner = _ROOT_OF_2_OVER_PI * (values + _CUBIC * values * values * values)
    return _HALF * values * (_ONE + real_tanh(inner))


oracle = looked_up(_gelu)
oracle_of_reals = in_float32(_gelu)


def _is_approximate(view: NodeView) -> bool:
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    return attrs.approximate


_REAL = real_map(oracle_of_reals)
_APPROXIMATE = replace(_REAL, takes=lambda view: takes_real(view) and _is_approximate(view))

OP = map_op(
    "gelu",
    150,
    real_kernel(
        _APPROXIMATE,
        "gelu_approximate",
        "0.5f * value * (1.0f + @real_tanh(0.7978845608f * (value + 0.044715f * value * value "
        "* value)))",
        calls=("real_tanh",),
    ),
    real_kernel(
        _REAL, "gelu", "0.5f * value * @real_erfc(value * -0.7071067812f)", calls=("real_erfc",)
    ),
    Meaning(operands=INT8_MAP, oracle=oracle),
    summary="int8; float32; exact and approximate",
    options_type=116,
    attrs=Attrs,
    quantization=FREE,
)
