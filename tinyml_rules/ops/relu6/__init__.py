"""RELU6: min(max(x, 0), 6), a mere clamp if input and output have one quantization.

If they differ, TFLM does not rescale; the 8-bit specification and LiteRT do, and so does this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation, clamp_range
from tinyml_rules.ir.c_struct import Int8
from tinyml_rules.ir.contract import CLAMPED, CLAMPS, each_value
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.bounded import bounded, check_bounded
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP, map_work
from tinyml_rules.ops._shared.quantization import QuantizationRule, Relation
from tinyml_rules.ops._shared.real_maps import (
    Float32Array,
    in_float32,
    map_op,
    real_kernel,
    real_map,
)
from tinyml_rules.ops._shared.rescaled_maps import MapParams, factor_params, int16_map


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    clamp_min: Int8
    clamp_max: Int8


def is_quantized_alike(view: NodeView) -> bool:
    """Whether input and output have the same quantization."""
    return view["input"].quantization == view.output.quantization


def params_of(view: NodeView) -> Params:
    """The clamp bounds, in the quantization of both."""
    source = view["input"]
    return Params(*clamp_range(Activation.RELU6, scale=source.scale, zero_point=source.zero_point))


def int16_params_of(view: NodeView) -> MapParams:
    """The factor as LiteRT has it, where that is not 1."""
    factor = np.float32(view["input"].scale) / np.float32(view.output.scale)
    return factor_params(view, float(factor), Activation.RELU6)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    return bounded(view, values, Activation.RELU6)


@in_float32
def oracle_of_reals(values: Float32Array, _attrs: object) -> Array:
    """`Relu6Float` of TFLM."""
    return np.clip(values, np.float32(0), np.float32(6))


OP = map_op(
    "relu6",
    21,
    real_kernel(
        real_map(oracle_of_reals),
        "relu6",
        "value < 0.0f ? 0.0f : value > 6.0f ? 6.0f : value",
    ),
    int16_map("relu6", oracle, int16_params_of, check=check_bounded),
    Meaning(
        takes=is_quantized_alike,
        operands=INT8_MAP,
        check=check_bounded,
        oracle=oracle,
        prepare=lambda view: map_work(view, params_of(view)),
        kernels=(
            Kernel(
                name="relu6",
                template=Path(__file__).parent / "kernels" / "portable.c.j2",
                form=Form.POINTWISE,
                is_in_place=True,
                contract=each_value(requires=(CLAMPS,), result=CLAMPED),
            ),
        ),
    ),
    Meaning(operands=INT8_MAP, check=check_bounded, oracle=oracle),
    summary="int8, int16, input and output may be quantized differently; float32",
    quantization=QuantizationRule(Relation.SAME, clamp=Activation.RELU6, int16_version=3),
)
