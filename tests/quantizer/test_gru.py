"""GRU loops in float32 made integers: what the rounds share, how good the result is, the same bytes
by TFLM and in C, and which loops are refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.ops.test_float_gru import gru
from tests.quantizer.gru_models import gru_network
from tests.quantizer.runs import AnyArray, graph_of, quantized, random_inputs
from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.tflm import tflm_outputs
from tinyml_rules.arithmetic.decibels import sqnr_db
from tinyml_rules.arithmetic.fixed_point import dequantize_real, quantize_real
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Tensor
from tinyml_rules.model_file.writer import ModelSpec, TensorSpec, build_model

STEPS = 5
MODELS = {
    "plain": gru(),
    "keras": gru_network(STEPS, 6, (8,)),
    "stacked": gru_network(STEPS, 4, (5, 6)),
    "both_ways": gru_network(STEPS, 4, (6,), is_both_ways=True),
}
LEAST_DB = {"plain": 31.0, "keras": 34.0, "stacked": 36.0, "both_ways": 30.0}
LOOPS = {"plain": 1, "keras": 1, "stacked": 2, "both_ways": 2}
SUMS = {"plain": 6, "keras": 2, "stacked": 4, "both_ways": 4}
"""Weighted sums in the bodies of the loops."""
CALIBRATION, UNSEEN = 1, 2
"""Seeds."""


@cache
def signals(name: str, count: int, seed: int) -> AnyArray:
    """Bounded, as those of a sensor; those of calibration, which are few, are larger."""
    (source,) = MODELS[name].inputs
    shape = MODELS[name].tensors[source].shape
    values = np.random.default_rng(seed).normal(
        0, 2.0 if seed == CALIBRATION else 0.4, (count, *shape)
    )
    return np.tanh(values).astype(np.float32)


@cache
def made(name: str) -> bytes:
    """The model in int8."""
    return quantized(MODELS[name], {"": signals(name, 12, CALIBRATION)}).model


def ends_of(model: bytes) -> tuple[Tensor, Tensor]:
    """Input and output."""
    graph = graph_of(model)
    (source,), (result,) = graph.inputs, graph.outputs
    return graph.tensors[source], graph.tensors[result]


@pytest.mark.parametrize("name", MODELS)
def test_signal_to_noise(name: str) -> None:
    """On TFLM, against the float model there, on signals that calibration did not see."""
    assert signal_to_noise(made(name), name, signals(name, 24, UNSEEN)) >= LEAST_DB[name]


def signal_to_noise(model: bytes, name: str, values: AnyArray) -> float:
    """The signal-to-noise ratio in dB of a model's output, both on TFLM."""
    source, result = ends_of(model)
    given = quantize_real(values, scale=source.scale, zero_point=source.zero_point, dtype="int8")
    (found,) = tflm_outputs(model, [given])
    (wanted,) = tflm_outputs(build_model(MODELS[name]), [values])
    real = dequantize_real(found, scale=result.scale, zero_point=result.zero_point)
    noise = np.square(wanted.astype(np.float64) - real).sum()
    return sqnr_db(float(np.square(wanted).sum()), float(noise))


def with_stored_integers() -> ModelSpec:
    """A dynamic-range model: the weights in the body of its loop are int8 already."""
    parts = tuple(
        replace(part, tensors=tuple(map(stored_as_integers, part.tensors)))
        for part in MODELS["plain"].others
    )
    return replace(MODELS["plain"], others=parts)


def stored_as_integers(tensor: TensorSpec) -> TensorSpec:
    """The same tensor, if it is a matrix of weights as int8."""
    data = tensor.data
    if not (isinstance(data, np.ndarray) and data.ndim == 2 and tensor.dtype == "float32"):
        return tensor
    scale = float(np.abs(data).max()) / 127
    stored = np.rint(data / scale).astype(np.int8)
    return replace(tensor, dtype="int8", data=stored, scales=(scale,), zero_points=(0,))


def test_dynamic_range_weights() -> None:
    """The loop is written with the integers of the quantizer, and is as good as the float one's."""
    found = quantized(with_stored_integers(), {"": signals("plain", 12, CALIBRATION)})
    assert [node.op for node in graph_of(found.model).nodes] == ["while"]
    values = signals("plain", 24, UNSEEN)
    assert signal_to_noise(found.model, "plain", values) >= LEAST_DB["plain"]


@pytest.mark.parametrize("name", MODELS)
def test_loops_stay(name: str) -> None:
    """One round in int8 is the body, with the weights once, and no value that nothing needs."""
    graph = graph_of(made(name))
    loops = [node for node in graph.nodes if node.op == "while"]
    nodes = [node for each in graph.others for node in each.nodes]
    assert len(loops) == LOOPS[name] and len(graph.others) == 2 * LOOPS[name]
    assert sum(node.op == "fully_connected" for node in nodes) == SUMS[name]
    assert sum(node.op == "dynamic_update_slice" for node in nodes) == (name == "stacked")
    dtypes = {tensor.dtype for each in graph.others for tensor in each.tensors}
    assert dtypes == {DType.INT8, DType.INT32, DType.BOOL}


@cache
def unrolled() -> bytes:
    """With one tensor of the body in int16, between conversions."""
    given = {"": signals("keras", 12, CALIBRATION)}
    return quantized(MODELS["keras"], given, int16=("t11",)).model


def test_in_c(tmp_path: Path) -> None:
    """TFLM's bytes, for all that an int8 input can be."""
    jobs, expected = [], {}
    for name, model in {**{each: made(each) for each in MODELS}, "unrolled": unrolled()}.items():
        inputs = random_inputs(graph_of(model))
        (found,) = tflm_outputs(model, inputs)
        expected[name] = found.tobytes()
        jobs.append(Job(name, model, inputs[0].tobytes()))
    for target in (SANITIZED, "nrf52840"):
        folder = tmp_path / target
        folder.mkdir()
        assert run_combined(target_or_skip(target), jobs, folder=folder) == expected


def refused(model: ModelSpec) -> str:
    """The text of the error."""
    with pytest.raises(UnsupportedError) as caught:
        quantized(model)
    return str(caught.value)


def test_loops_without_a_known_end() -> None:
    """One whose first step the caller gives, and one of too many rounds."""
    model = MODELS["plain"]
    step = replace(model.tensors[0], data=None)
    free = replace(model, tensors=(step, *model.tensors[1:]), inputs=(0, 2))
    for each in (free, gru_network(257, 2, (2,))):
        text = refused(each)
        assert "(while): error: runs sub-graphs in a way that no constants decide, or more" in text
        assert text.count("\n") == 0


def test_unrolled_rounds_share_constants_and_scales() -> None:
    """A tensor of the body by its name is one in every round; weights and biases are there once,
    but for a sum that the known first state makes a constant."""
    graph = graph_of(unrolled())
    wide = [each for each in graph.tensors if each.dtype is DType.INT16 and "t11" in each.name]
    assert len(wide) >= STEPS
    assert len({each.quantization for each in wide}) == 1
    sums = Counter(node.inputs[1:] for node in graph.nodes if node.op == "fully_connected")
    assert sorted(sums.values()) == [1, STEPS - 1, STEPS]
    gates = [graph.tensors[node.outputs[0]] for node in graph.nodes if node.op == "sub"]
    assert len(gates) == STEPS and len({each.quantization for each in gates}) == 1
    assert len({each.name for each in graph.tensors}) == len(graph.tensors)
