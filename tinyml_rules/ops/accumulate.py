"""Constants of every operator that sums products of weights and inputs: bias and multipliers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.quantize import quantize_multiplier, wrap_int32

Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]


def weighted_macs(view: NodeView) -> int:
    """Multiply-accumulates of a node whose second input has the weights of every output channel,
    of whatever type they are; the channels are the output's last dimension."""
    weights, result = view.input(1), view.output
    channels = result.shape[-1] if result.shape else 1
    return result.count * weights.count // max(channels, 1)


def fold_bias(bias: Tensor | None, *, weight_sums: Int64Array, input_zero_point: int) -> Int32Array:
    """bias - input_zero_point * (sum of the channel's weights), modulo 2^32 like the sum itself.

    `weight_sums` has one entry an output channel; the result likewise.
    """
    base = np.zeros_like(weight_sums)
    if bias is not None:
        assert bias.data is not None
        base = bias.data.astype(np.int64).reshape(-1)
    return wrap_int32(base - input_zero_point * weight_sums).astype(np.int32)


def multipliers(
    source: Tensor, weights: Tensor, result: Tensor, *, channels: int
) -> tuple[Int32Array, npt.NDArray[np.int8]]:
    """(multiplier, shift) of every output channel, in doubles all the way.

    `PopulateConvolutionQuantizationParams` of TFLM; one scale is repeated for all channels.
    """
    assert weights.quantization is not None
    scales = weights.quantization.scales
    if len(scales) == 1:
        scales = scales * channels
    pairs = [quantize_multiplier(source.scale * scale / result.scale) for scale in scales]
    return (
        np.array([multiplier for multiplier, _ in pairs], np.int32),
        np.array([shift for _, shift in pairs], np.int8),
    )


def single_multiplier(source: Tensor, weights: Tensor, result: Tensor) -> tuple[int, int]:
    """(multiplier, shift) of a per-tensor FULLY_CONNECTED.

    `GetQuantizedConvolutionMultipler` of TFLM.  Its sources before autumn 2026 round the product
    to float32 first; its package multiplies in double, like the convolutions.
    """
    return quantize_multiplier(source.scale * weights.scale / result.scale)
