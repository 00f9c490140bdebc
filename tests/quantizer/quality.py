"""SQNR on samples that calibration did not see: the integer model on TFLM, the float model on
LiteRT's reference kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.conftest import PROJECT
from tests.quantizer.runs import AnyArray, graph_of
from tests.support.litert import litert_outputs
from tests.support.tflm import tflm_outputs
from tinyml_rules.arithmetic.decibels import sqnr_db
from tinyml_rules.arithmetic.fixed_point import dequantize_real, quantize_real
from tinyml_rules.quantizer.quantize import quantize
from tinyml_rules.quantizer.request import (
    Activations,
    Arrays,
    Quantized,
    QuantizeRequest,
    Scales,
)
from tinyml_rules.sensor.description import read_description
from tinyml_rules.sensor.real_values import real_values

RFC_CNN = PROJECT / "examples" / "rfc_cnn"
MOST_CALIBRATION = 100
"""Samples, at equal distances."""

FileOf = Callable[[str], Path]


@dataclass(frozen=True)
class Measured:
    """What is measured: `files` by their names in the folder of float models, of a model, of its
    data and of what TensorFlow made of it; none for the example of this repository."""

    title: str
    unseen: str
    files: tuple[str, str, str] | None


MEASURED = {
    "kws": Measured(
        "keyword spotter of MLPerf Tiny",
        "utterances of other voices",
        ("kws_float.tflite", "kws_data.npz", "kws_tf.tflite"),
    ),
    "ad": Measured(
        "anomaly detector of MLPerf Tiny",
        "windows of the other half of a recording",
        ("ad01_fp32.tflite", "ad_data.npz", "ad_tf.tflite"),
    ),
    "rfc_cnn": Measured(
        "CNN of TVM's RFC, [examples/rfc_cnn](../../examples/rfc_cnn)", "coloured digits", None
    ),
}


@dataclass(frozen=True, eq=False)
class Data:
    """A float model, samples for its calibration, and others."""

    model: bytes
    calibration: AnyArray
    unseen: AnyArray

    @property
    def wanted(self) -> AnyArray:
        """What the float model makes of the samples that calibration does not see."""
        return litert_outputs(self.model, [self.unseen])[0].astype(np.float64)


def data_of(name: str, file_of: FileOf) -> Data:
    """The model's."""
    files = MEASURED[name].files
    if files is None:
        model = (RFC_CNN / f"{name}.tflite").read_bytes()
        described = read_description(RFC_CNN / "sensor.toml").inputs
        (of_input,) = described.values()
        with (
            np.load(RFC_CNN / "calibration.npz") as some,
            np.load(RFC_CNN / "evaluation.npz") as others,
        ):
            raw = [arrays[f"{name}/input"] for arrays in (some, others)]
        found = [real_values(of_input, np.asarray(each, np.int64), where=name) for each in raw]
    else:
        model = file_of(files[0]).read_bytes()
        with np.load(file_of(files[1])) as arrays:
            found = [arrays[each].astype(np.float32) for each in ("x_cal", "x_eval")]
    graph = graph_of(model)
    shape = graph.tensors[graph.inputs[0]].shape
    calibration, unseen = (values.reshape(len(values), *shape) for values in found)
    return Data(model, _spread(calibration), unseen)


def _spread(values: AnyArray) -> AnyArray:
    count = min(len(values), MOST_CALIBRATION)
    return values[[place * len(values) // count for place in range(count)]]


def quantized_by(
    data: Data, scales: Scales, activations: Activations = Activations.INT8
) -> Quantized:
    """The integer model, with the calibration samples alone."""
    arrays = Arrays("calibration", {"": data.calibration})
    request = QuantizeRequest(data.model, "model", arrays, scales=scales, activations=activations)
    return quantize(request)


def integers(model: bytes, data: Data) -> AnyArray:
    """The unseen samples as an integer model takes them."""
    graph = graph_of(model)
    source = graph.tensors[graph.inputs[0]]
    scale, zero_point, dtype = source.scale, source.zero_point, str(source.dtype)
    return quantize_real(data.unseen, scale=scale, zero_point=zero_point, dtype=dtype)


def answers(model: bytes, data: Data) -> AnyArray:
    """What an integer model makes of the unseen samples on TFLM, in real numbers."""
    graph = graph_of(model)
    result = graph.tensors[graph.outputs[0]]
    (found,) = tflm_outputs(model, [integers(model, data)])
    real = dequantize_real(found, scale=result.scale, zero_point=result.zero_point)
    return real.astype(np.float64)


def sqnr(found: AnyArray, wanted: Any) -> float:
    """In dB."""
    return sqnr_db(float(np.square(wanted).sum()), float(np.square(found - wanted).sum()))


def centred_sqnr(found: AnyArray, wanted: Any) -> float:
    """In dB, with the mean of each value over the samples taken from signal and error."""
    return sqnr(found - found.mean(axis=0), wanted - wanted.mean(axis=0))
