"""The measured bars: signal to quantization noise on data that calibration did not see, the integer
model on TFLM, the float one on LiteRT's reference kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.quantize.conftest import QuantFile
from tests.quantize.runs import graph_of
from tests.support.litert import litert_outputs
from tests.support.tflm import tflm_outputs
from tinyml_rules.arithmetic.fixed_point import quantize_multiplier
from tinyml_rules.quantize.quantize import quantize
from tinyml_rules.quantize.request import Arrays, Quantized, QuantizeRequest, Scales

BARS = {
    ("kws", Scales.FREE): 29.0,
    ("kws", Scales.POWER_OF_TWO): 27.5,
    ("ad", Scales.FREE): 42.8,
    ("ad", Scales.POWER_OF_TWO): 41.3,
}
"""In dB.  TensorFlow's quantizer has 28.0 and 41.8: at least 1 dB more, at most 0.5 dB less."""
FILES = {"kws": ("kws_float.tflite", "kws_data.npz"), "ad": ("ad01_fp32.tflite", "ad_data.npz")}
CALIBRATION = 100
"""Samples at most, at equal distances."""


def samples(path: Path, name: str) -> np.ndarray[Any, np.dtype[np.float32]]:
    """One array of the data."""
    with np.load(path) as arrays:
        found: np.ndarray[Any, np.dtype[np.float32]] = arrays[name].astype(np.float32)
        return found


def spread(values: Any) -> Any:
    """So many samples."""
    count = min(len(values), CALIBRATION)
    return values[[place * len(values) // count for place in range(count)]]


@pytest.mark.parametrize(("name", "scales"), BARS)
def test_sqnr(name: str, scales: Scales, quant_file: QuantFile) -> None:
    """Not below the bar, with the bytes that the report speaks of."""
    model, data = map(quant_file, FILES[name])
    found = quantized(model, data, scales)
    graph = graph_of(found.model)
    if scales is Scales.POWER_OF_TWO:
        assert_only_shifts(graph)
    real = samples(data, "x_eval")
    (source,), (result,) = graph.inputs, graph.outputs
    tensor, output = graph.tensors[source], graph.tensors[result]
    real = real.reshape(len(real), *tensor.shape)
    integers = np.rint(real.astype(np.float64) / tensor.scale) + tensor.zero_point
    inputs = [np.clip(integers, -128, 127).astype(np.int8)]
    wanted = litert_outputs(model.read_bytes(), [real])[0].astype(np.float64)
    got = tflm_outputs(found.model, inputs)[0].astype(np.float64)
    noise = np.square((got - output.zero_point) * output.scale - wanted).sum()
    assert 10 * np.log10(np.square(wanted).sum() / noise) >= BARS[name, scales]


def quantized(model: Path, data: Path, scales: Scales) -> Quantized:
    """With the calibration data alone."""
    arrays = Arrays(str(data), {"": spread(samples(data, "x_cal"))})
    return quantize(QuantizeRequest(model.read_bytes(), "model", arrays, scales=scales))


def assert_only_shifts(graph: Any) -> None:
    """Every factor of a weighted sum is a power of two, in TFLM's own arithmetic."""
    count = 0
    for node in graph.nodes:
        tensors = [graph.tensors[index] for index in (*node.inputs, *node.outputs)]
        if len(node.inputs) == 3 and tensors[1].data is not None:
            source, weights, _, output = tensors
            for scale in weights.quantization.scales:
                multiplier, _ = quantize_multiplier(source.scale * scale / output.scale)
                assert multiplier == 2**30
                count += 1
    assert count in (588, 1672)
