"""Quantized constants as real numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, Tensor

QUANTIZED = (DType.INT8, DType.UINT8, DType.INT16, DType.INT4)


def is_quantized_constant(tensor: Tensor) -> bool:
    """Whether its values are known, and are quantized real numbers."""
    is_known = tensor.data is not None and not tensor.unread
    if tensor.dtype is DType.FLOAT16:
        return is_known
    return is_known and tensor.dtype in QUANTIZED and tensor.quantization is not None


def as_float32(tensor: Tensor) -> Tensor:
    """A constant as real numbers."""
    assert tensor.data is not None
    values: Array = tensor.data.astype(np.float64)
    if tensor.quantization is not None:
        shape = [1] * len(tensor.shape)
        if tensor.quantization.is_per_axis:
            shape[tensor.quantization.axis] = -1
        scales = np.array(tensor.quantization.scales).reshape(shape)
        zero_points = np.array(tensor.quantization.zero_points).reshape(shape)
        values = (tensor.data.astype(np.float64) - zero_points) * scales
    with np.errstate(over="ignore"):  # what is beyond float32 is refused as such
        data = values.astype(np.float32)
    return replace(tensor, dtype=DType.FLOAT32, quantization=None, data=data)
