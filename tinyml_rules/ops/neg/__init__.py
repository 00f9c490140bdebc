"""NEG: -x; int8 is LiteRT's."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.operands import int8
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.quantization import QuantizationRule, Relation
from tinyml_rules.ops._shared.real_maps import (
    Float32Array,
    in_float32,
    map_op,
    real_kernel,
    real_map,
)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `Negate` of LiteRT, which leaves -128 as it is."""
    return np.asarray(np.negative(values[view["input"].index].astype(np.int8)))


@in_float32
def oracle_of_reals(values: Float32Array, _attrs: object) -> Array:
    """`Negate` of TFLM."""
    return np.asarray(-values)


_OPERANDS = {
    "input": int8(centred=(DType.INT8,)),
    "output": int8(shape="input", scale_of="input"),
}
"""LiteRT negates the stored integers, which is right only with one scale and zero points of 0."""

OP = map_op(
    "neg",
    59,
    real_kernel(real_map(oracle_of_reals), "neg", "-value"),
    Meaning(operands=_OPERANDS, oracle=oracle),
    summary="int8 with zero points 0 and one scale; float32",
    options_type=42,
    quantization=QuantizationRule(Relation.SAME, version=1, is_symmetric=True),
)
