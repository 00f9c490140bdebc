"""LOG_SOFTMAX: the logarithm of the softmax along the last dimension.

As in SOFTMAX, the exponentials of distances from the largest value are a table.  An output is that
distance minus the logarithm of the sum of the exponentials.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.arithmetic.exponential import exp_on_negative_values
from tinyml_rules.arithmetic.fixed_point import (
    INT8_MAX,
    INT8_MIN,
    INT32_MAX,
    INT32_MIN,
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    rounding_high_multiply,
    rounding_shift_right,
)
from tinyml_rules.arithmetic.logarithm import logarithm
from tinyml_rules.arithmetic.real_exponential import real_exp
from tinyml_rules.arithmetic.real_logarithm import real_log
from tinyml_rules.ir.c_struct import Int, Int8, Int32
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.constraints import takes_reals
from tinyml_rules.ops._shared.operands import VECTORS, int8, real
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.pointwise import vector_work
from tinyml_rules.ops._shared.quantization import fixed
from tinyml_rules.ops._shared.real_maps import Float32Array, in_float32, in_order

INPUT_FRACTION_BITS = 26
SUM_INTEGER_BITS = 12
MOST_DEPTH = 2**SUM_INTEGER_BITS - 1
"""Each value adds at most 1 to the sum."""
OUTPUT_SCALE = 1 / 16
OUTPUT_ZERO_POINT = 127


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct. exponentials[d] is exp(-d * scale) in Q12 for a value d below the
    largest; `multiplier` and `shift` convert a distance d to d * scale in Q5. From table_size on, a
    distance is too large for int8."""

    exponentials: Array
    table_size: Int
    depth: Int
    multiplier: Int32
    shift: Int8


OPERANDS = {
    "input": int8(ranks=VECTORS),
    "output": int8(shape="input", fixed=(OUTPUT_SCALE, OUTPUT_ZERO_POINT)),
}
REAL_OPERANDS = {"input": real(ranks=VECTORS), "output": real(shape="input")}


def check(view: NodeView) -> Iterator[str]:
    """int32 holds the sum, and the scale is above 2^-26."""
    source = view["input"]
    yield from constraints.depth(source, most=MOST_DEPTH)
    multiplier, shift = _multiplier(source.scale)
    if shift < 1 or 2.0 ** (31 - shift) / multiplier >= 1:
        yield f"input tensor {source} has scale {source.scale:g}, expected above 2^-26"


def _multiplier(scale: float) -> tuple[int, int]:
    """The factor from a distance to Q5, limited as in `PreprocessSoftmaxScaling` of TFLM."""
    return quantize_multiplier(min(scale * 2.0**INPUT_FRACTION_BITS, float(INT32_MAX)))


def prepare(view: NodeView) -> Work:
    """One unit is one vector of the last dimension."""
    source = view["input"]
    multiplier, shift = _multiplier(source.scale)
    # `CalculateInputRadius` of TFLM: the largest distance whose Q5 number does not overflow
    radius = 31 * 2**INPUT_FRACTION_BITS // 2**shift
    distances = np.arange(min(radius, 255) + 1, dtype=np.int64)
    exponents = rounding_high_multiply(-distances << shift, multiplier)
    exponentials = rounding_shift_right(exp_on_negative_values(exponents), SUM_INTEGER_BITS)
    params = Params(
        exponentials=exponentials.astype(np.int32),
        table_size=len(exponentials),
        depth=source.shape[-1],
        multiplier=multiplier,
        shift=shift,
    )
    return vector_work(view, params)


@dataclass(frozen=True)
class RealParams:
    """Members of the C struct for real numbers."""

    depth: Int


def prepare_real(view: NodeView) -> Work:
    """One unit is one vector of the last dimension."""
    return vector_work(view, RealParams(depth=view["input"].shape[-1]))


Q5 = 26
"""Fraction bits of Q5."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source = view["input"]
    vectors = values[source.index].astype(np.int64)
    differences = vectors - vectors.max(axis=-1, keepdims=True)
    multiplier, shift = quantize_multiplier(min(source.scale * 2.0**Q5, float(INT32_MAX)))
    least = -(31 * 2**Q5 // 2**shift)
    is_near = differences >= least
    near = np.where(is_near, differences, 0)
    exponents = multiply_by_quantized_multiplier(near, multiplier, shift)
    terms = np.where(is_near, rounding_shift_right(exp_on_negative_values(exponents), 12), 0)
    logs = logarithm(terms.sum(axis=-1, keepdims=True))
    reverse = quantize_multiplier(2.0 ** (31 - shift) / multiplier)
    bound = multiply_by_quantized_multiplier(logs + INT32_MIN, *reverse)
    results = rounding_shift_right(exponents - logs, Q5 - 4) + INT8_MAX
    results = np.where(differences > np.maximum(least - 1, bound), results, INT8_MIN)
    return np.clip(results, INT8_MIN, INT8_MAX).astype(np.int8)


@in_float32
def oracle_of_real(values: Float32Array, _attrs: object) -> Array:
    """`reference_ops::LogSoftmax` of TFLM."""
    distances = values - np.fmax.reduce(values, axis=-1, keepdims=True)
    return distances - real_log(in_order(real_exp(distances)))


OP = Op(
    name="log_softmax",
    builtin_code=50,
    options_type=36,
    inputs=("input",),
    # an output is a rescaled distance from the largest, minus one number for the whole vector
    keeps_order=lambda _view: True,
    summary="int8; output scale 1/16 and zero point 127; float32",
    meanings=(
        Meaning(
            takes=takes_reals,
            operands=REAL_OPERANDS,
            oracle=oracle_of_real,
            prepare=prepare_real,
            kernels=(
                Kernel(
                    name="log_softmax_real",
                    template=Path(__file__).parent / "kernels" / "float32.c.j2",
                    form=Form.POINTWISE,
                    is_in_place=True,
                    runtime=("real_exp", "real_log"),
                ),
            ),
        ),
        Meaning(
            operands=OPERANDS,
            check=check,
            oracle=oracle,
            prepare=prepare,
            kernels=(
                Kernel(
                    name="log_softmax",
                    template=Path(__file__).parent / "kernels" / "log_softmax.c.j2",
                    form=Form.POINTWISE,
                    is_in_place=True,
                    runtime=("reciprocal_of_one_plus", "rescale"),
                ),
            ),
        ),
    ),
    quantization=fixed(16 / 256, 127),
)
