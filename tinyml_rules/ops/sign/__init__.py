"""SIGN: -1, 0 or 1, of real numbers and of int32; LiteRT's."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.operands import plain
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.real_maps import (
    Float32Array,
    in_float32,
    map_op,
    real_kernel,
    real_map,
)

_OPERANDS = {
    "input": plain(DType.FLOAT32, DType.INT32),
    "output": plain(DType.INT32, shape="input"),
}


def of_integers() -> Meaning:
    """SIGN of int32."""
    return Meaning(operands=_OPERANDS, oracle=oracle)


@in_float32
def oracle_of_reals(values: Float32Array, _attrs: object) -> Array:
    """`Sign` of LiteRT."""
    return np.sign(values)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    return np.asarray(np.sign(values[view["input"].index].astype(np.int32)))


OP = map_op(
    "sign",
    158,
    real_kernel(
        real_map(oracle_of_reals),
        "sign",
        "value > 0.0f ? 1.0f : value < 0.0f ? -1.0f : value",
    ),
    of_integers(),
    summary="float32; int32 between CAST from and to 8 bits",
    options_type=123,
)
