"""Constants of narrow types as float32."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.graph import Array, Quantization


def widened(values: Array, quantization: Quantization | None) -> npt.NDArray[np.float32]:
    """scale * (q - zero_point) of integers, a pair for each slice along the axis or one for all;
    `Dequantize` of TFLM, whose product is exact but for one rounding to float32.  float16 as it
    is."""
    if quantization is None or values.dtype.kind == "f":
        return values.astype(np.float32)
    shape = [1] * values.ndim
    if quantization.is_per_axis:
        shape[quantization.axis] = -1
    scales = np.array(quantization.scales, np.float32).reshape(shape)
    zero_points = np.array(quantization.zero_points, np.int64).reshape(shape)
    return scales * (values.astype(np.int64) - zero_points).astype(np.float32)
