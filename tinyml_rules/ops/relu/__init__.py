"""RELU: max(x, 0), of real numbers, or between tensors of any quantization."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation, quantize_multiplier
from tinyml_rules.ir.c_struct import Int8, NoParams
from tinyml_rules.ir.contract import CLAMPED, CLAMPS, Multiplier, ValueShift, each_value
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.activated import clamps_of
from tinyml_rules.ops._shared.constraints import takes_real
from tinyml_rules.ops._shared.in_numpy import moved
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.pointwise import INT8_MAP, check_factor, map_work
from tinyml_rules.ops._shared.quantization import QuantizationRule
from tinyml_rules.ops._shared.real_maps import REAL_MAP
from tinyml_rules.ops._shared.rescaled_maps import MapParams, factor_params, int16_map
from tinyml_rules.ops._shared.scales import quotient


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    multiplier: Multiplier
    shift: ValueShift
    input_zero_point: Int8
    output_zero_point: Int8
    clamp_min: Int8
    clamp_max: Int8


def params_of(view: NodeView) -> Params:
    """`CalculateReluOpData` of TFLM: the quotient of the scales in double.

    Its sources before autumn 2026 round the quotient to float32 first; its package does not."""
    source, result = view["input"], view.output
    multiplier, shift = quantize_multiplier(quotient(view, source.scale, result.scale))
    clamp_min, clamp_max = clamps_of(Activation.RELU, result)
    return Params(
        multiplier=multiplier,
        shift=shift,
        input_zero_point=source.zero_point,
        output_zero_point=result.zero_point,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
    )


def int16_params_of(view: NodeView) -> MapParams:
    """The same of int16."""
    factor = quotient(view, view["input"].scale, view.output.scale)
    return factor_params(view, factor, Activation.RELU)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source = view["input"]
    return moved(view, values[source.index], source, Activation.RELU)


def oracle_of_reals(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `ReluFloat` of TFLM."""
    source = values[view["input"].index].astype(np.float32)
    return np.where(source < 0, np.float32(0), source)


_KERNELS = Path(__file__).parent / "kernels"

OP = Op(
    name="relu",
    builtin_code=19,
    inputs=("input",),
    summary="int8, int16, input and output may be quantized differently; float32",
    is_map=lambda _view: True,
    meanings=(
        Meaning(
            takes=lambda view: view["input"].dtype not in (DType.INT16, DType.FLOAT32),
            operands=INT8_MAP,
            check=check_factor,
            oracle=oracle,
            prepare=lambda view: map_work(view, params_of(view)),
            kernels=(
                Kernel(
                    name="relu",
                    template=_KERNELS / "portable.c.j2",
                    form=Form.POINTWISE,
                    is_in_place=True,
                    runtime=("requantize",),
                    contract=each_value(requires=(CLAMPS,), result=CLAMPED),
                ),
            ),
        ),
        int16_map("relu", oracle, int16_params_of),
        Meaning(
            takes=takes_real,
            operands=REAL_MAP,
            oracle=oracle_of_reals,
            prepare=lambda view: map_work(view, NoParams()),
            kernels=(
                Kernel(
                    name="relu_real",
                    template=_KERNELS / "real.c.j2",
                    form=Form.POINTWISE,
                    is_in_place=True,
                    contract=each_value(),
                ),
            ),
        ),
    ),
    quantization=QuantizationRule(clamp=Activation.RELU, int16_version=3),
)
