"""GELU: x times the normal distribution's share below x, exact or approximated with tanh;
LiteRT's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared.looked_up import looked_up
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.real_maps import ISLAND, Float32Array, in_float32, map_op, real_map


@dataclass(frozen=True)
class Attrs:
    """Options of the node."""

    approximate: bool = option(0, "bool", default=False)


_ERFC = np.vectorize(math.erfc, otypes=[np.float64])
_HALF, _ONE, _CUBIC = np.float32(0.5), np.float32(1), np.float32(0.044715)
_MINUS_ROOT_OF_HALF = np.float32(-math.sqrt(0.5))
_ROOT_OF_2_OVER_PI = np.float32(math.sqrt(2 / math.pi))


def _gelu(values: Float32Array, attrs: Any) -> Array:
    """`GeluTransform` and `GeluTransformApproximate` of LiteRT: products and sums in float32."""
    if not attrs.approximate:
        above = _ERFC((values * _MINUS_ROOT_OF_HALF).astype(np.float64))
        return np.asarray(_HALF * values * above.astype(np.float32))
    inner = _ROOT_OF_2_OVER_PI * (values + _CUBIC * values * values * values)
    return _HALF * values * (_ONE + np.tanh(inner.astype(np.float64)).astype(np.float32))


oracle = looked_up(_gelu)
oracle_of_reals = in_float32(_gelu)


OP = map_op(
    "gelu",
    150,
    real_map(oracle_of_reals),
    Meaning(operands=INT8_MAP, oracle=oracle),
    summary=f"int8; exact and approximate; {ISLAND}",
    options_type=116,
    attrs=Attrs,
    quantization=FREE,
)
