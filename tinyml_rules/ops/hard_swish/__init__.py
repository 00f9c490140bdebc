"""HARD_SWISH: x * min(max(x + 3, 0), 6) / 6.  Of int8 in 16-bit fixed point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    INT8_MAX,
    INT8_MIN,
    Int64Array,
    quantize_multiplier,
    rounding_shift_right,
)
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP
from tinyml_rules.ops._shared.quantization import QuantizationRule
from tinyml_rules.ops._shared.real_maps import (
    Float32Array,
    in_float32,
    map_op,
    real_kernel,
    real_map,
)

LEAST_SCALE, MOST_SCALE = 2.0**-21, 2.0**16
"""Of the input: between them the shifts by which it becomes a share of 3 are those of 16 bits."""
LEAST_QUOTIENT, MOST_QUOTIENT = 2.0**-7, 2.0**8
"""Of the output's scale by the input's.  TFLM refuses what is below; above, it shifts numbers of 16
bits by more than they have."""


def check(view: NodeView) -> Iterator[str]:
    """Scales that 16 bits of fixed point hold."""
    source, result = view["input"], view.output
    if not LEAST_SCALE <= source.scale < MOST_SCALE:
        yield (
            f"input tensor {source} has scale {source.scale:g}, "
            f"expected {LEAST_SCALE:g} or more, and less than {MOST_SCALE:g}"
        )
    least, most = source.scale * LEAST_QUOTIENT, source.scale * MOST_QUOTIENT
    if not least < result.scale <= most:
        yield (
            f"output tensor {result} has scale {result.scale:g}, "
            f"expected more than {least:g}, and at most {most:g}"
        )


_INT16_MIN, _INT16_MAX = -(2**15), 2**15 - 1
_FINER = 128
"""What the distances from the zero point are multiplied by first."""
_SHARE = 3 / 2**15
"""The scale on which 3 is 1."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `HardSwish` of TFLM."""
    source, result = view["input"], view.output
    fine = (values[source.index].astype(np.int64) - source.zero_point) * _FINER
    multiplier, shift = _multiplier_of_16_bits(source.scale / _FINER / result.scale)
    scaled = _high_multiply(fine, multiplier)
    share = (_share_of_three(fine, source.scale / _FINER) + 2**15) >> 1
    product = share * scaled
    cut_off = np.sign(product) * (np.abs(product) >> 15)
    found = rounding_shift_right(cut_off, -shift) + result.zero_point
    return np.clip(found, INT8_MIN, INT8_MAX).astype(np.int8)


def _share_of_three(values: Int64Array, scale: float) -> Int64Array:
    """x / 3 with 15 bits behind the point, saturated: shifted left but for one bit, multiplied, and
    by that bit, so that only the last shift can saturate what counts."""
    multiplier, shift = _multiplier_of_16_bits(scale / _SHARE)
    found = _high_multiply(_saturated(values << max(shift - 1, 0)), multiplier)
    found = _saturated(found << min(max(shift, 0), 1))
    return rounding_shift_right(found, max(-shift, 0))


def _multiplier_of_16_bits(real: float) -> tuple[int, int]:
    """`DownScaleInt32ToInt16Multiplier` of TFLM, behind `QuantizeMultiplier`."""
    multiplier, shift = quantize_multiplier(real)
    return min((multiplier + 2**15) >> 16, _INT16_MAX), shift


def _high_multiply(values: Int64Array, multiplier: int) -> Int64Array:
    """gemmlowp's SaturatingRoundingDoublingHighMul of 16 bits, by a multiplier >= 0."""
    return (values * multiplier + 2**14) >> 15


def _saturated(values: Int64Array) -> Int64Array:
    return np.asarray(np.clip(values, _INT16_MIN, _INT16_MAX), np.int64)


@in_float32
def oracle_of_reals(values: Float32Array, _attrs: object) -> Array:
    """`HardSwish` of TFLM."""
    clamped = np.clip(values + np.float32(3), np.float32(0), np.float32(6))
    return np.asarray(values * clamped / np.float32(6))


OP = map_op(
    "hard_swish",
    117,
    real_kernel(
        real_map(oracle_of_reals),
        "hard_swish",
        "value * (value + 3.0f < 0.0f ? 0.0f : value + 3.0f > 6.0f ? 6.0f : value + 3.0f) / 6.0f",
    ),
    Meaning(operands=INT8_MAP, check=check, oracle=oracle),
    summary="int8, the input's scale below 128 of the output's; float32",
    options_type=91,
    quantization=QuantizationRule(version=1),
)
