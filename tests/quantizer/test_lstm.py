"""LSTM in float32 made integers: what its tensors become, how good the result is, the same bytes by
TFLM and in C, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.quantizer.float_models import chain, ints, real, reals
from tests.quantizer.runs import AnyArray, graph_of, quantized
from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.tflm import tflm_outputs
from tinyml_rules.arithmetic.decibels import sqnr_db
from tinyml_rules.arithmetic.fixed_point import dequantize_real, quantize_real
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.dtype import DType
from tinyml_rules.model_file.writer import ModelSpec, TensorSpec, build_model
from tinyml_rules.ops.unidirectional_sequence_lstm.cases import lstm
from tinyml_rules.quantizer.request import Activations, Quantized

STEPS, INPUTS, UNITS, CLASSES = 12, 10, 16, 6
LEAST_DB = {Activations.INT8: 34.0, Activations.INT16: 42.0}


def _begun(model: ModelSpec) -> ModelSpec:
    """Weights as Keras begins with: uniform ones, orthogonal recurrent ones, open forget gates."""
    generator, tensors = np.random.default_rng(3), list(model.tensors)
    for place, tensor in enumerate(tensors):
        if tensor.data is None:
            continue
        if tensor.name.endswith("weights"):
            data = _uniform(*tensor.shape, seed=place)
        elif tensor.name.endswith("recurrent"):
            data = np.linalg.qr(generator.normal(0, 1, tensor.shape))[0]
        else:
            data = np.full(tensor.shape, float(tensor.name == "forget bias"))
        tensors[place] = replace(tensor, data=data.astype(np.float32))
    return replace(model, tensors=tuple(tensors))


def _uniform(rows: int, columns: int, *, seed: int = 4) -> AnyArray:
    """With the variance of Glorot's."""
    end = np.sqrt(6 / (rows + columns))
    drawn = np.random.default_rng(seed).uniform(-end, end, (rows, columns))
    return drawn.astype(np.float32)


def network() -> ModelSpec:
    """A sequence, and a layer of weighted sums over all that the LSTM says of it."""
    first = _begun(lstm("float32", steps=STEPS, input_count=INPUTS, units=UNITS))
    whole = STEPS * UNITS
    flat = real("flat", (1, whole))
    rest = chain(
        [
            ("RESHAPE", (real("y", (1, STEPS, UNITS)), ints("shape", [1, whole])), flat, {}),
            (
                "FULLY_CONNECTED",
                (
                    flat,
                    TensorSpec(
                        "weights", (CLASSES, whole), "float32", data=_uniform(CLASSES, whole)
                    ),
                    reals("bias", (CLASSES,), scale=0.1),
                ),
                real("result", (1, CLASSES)),
                {},
            ),
        ]
    )
    base = len(first.tensors)
    place = {0: first.outputs[0], **{n: base + n for n in range(1, len(rest.tensors))}}
    moved = tuple(
        replace(
            each,
            inputs=tuple(place[index] for index in each.inputs),
            outputs=tuple(place[index] for index in each.outputs),
        )
        for each in rest.operators
    )
    return replace(
        first,
        tensors=(*first.tensors, *rest.tensors),
        operators=(*first.operators, *moved),
        outputs=(place[rest.outputs[0]],),
    )


@cache
def signals(count: int, seed: int) -> AnyArray:
    """Of which each value resembles the one before it; bounded, as those of a sensor, so that none
    is beyond the range that calibration has seen by much."""
    values = np.random.default_rng(seed).normal(0, 1, (count, 1, STEPS, INPUTS))
    for step in range(1, STEPS):
        values[:, :, step] = 0.8 * values[:, :, step - 1] + 0.6 * values[:, :, step]
    return np.tanh(values).astype(np.float32)


@cache
def made(activations: Activations) -> Quantized:
    """The network in integers."""
    return quantized(network(), {"": signals(30, seed=1)}, activations=activations)


def integers_of(model: bytes) -> AnyArray:
    """Signals that calibration did not see, as the model takes them."""
    graph = graph_of(model)
    source = graph.tensors[graph.inputs[0]]
    return quantize_real(
        signals(24, seed=2),
        scale=source.scale,
        zero_point=source.zero_point,
        dtype=str(source.dtype),
    )


@pytest.mark.parametrize("activations", list(LEAST_DB))
def test_signal_to_noise(activations: Activations) -> None:
    """Against the float model on TFLM, on signals that calibration did not see."""
    model = made(activations).model
    result = graph_of(model).tensors[graph_of(model).outputs[0]]
    (found,) = tflm_outputs(model, [integers_of(model)])
    (wanted,) = tflm_outputs(build_model(network()), [signals(24, seed=2)])
    values = dequantize_real(found, scale=result.scale, zero_point=result.zero_point)
    noise = np.square(wanted.astype(np.float64) - values).sum()
    assert sqnr_db(float(np.square(wanted).sum()), float(noise)) >= LEAST_DB[activations]


@pytest.mark.parametrize("activations", list(LEAST_DB))
def test_tensors(activations: Activations) -> None:
    """The hidden state is quantized as the output, and the cell has 16 bits and a power of two;
    a bias has the scale of its sums."""
    graph = graph_of(made(activations).model)
    (node,) = (each for each in graph.nodes if each.op == "unidirectional_sequence_lstm")
    tensors = [None if index is None else graph.tensors[index] for index in node.inputs]
    source, weights, bias, hidden, cell = (tensors[place] for place in (0, 1, 12, 18, 19))
    assert source and weights and bias and hidden and cell
    assert hidden.quantization == graph.tensors[node.outputs[0]].quantization
    assert hidden.is_variable and cell.is_variable and cell.dtype is DType.INT16
    assert np.log2(cell.scale) == round(np.log2(cell.scale)) and cell.zero_point == 0
    assert weights.dtype is DType.INT8 and weights.zero_point == 0
    assert np.isclose(bias.scale, source.scale * weights.scale, rtol=1e-6)
    is_int8 = activations is Activations.INT8
    assert source.dtype is hidden.dtype is (DType.INT8 if is_int8 else DType.INT16)
    assert bias.dtype is (DType.INT32 if is_int8 else DType.INT64)


def test_in_c(tmp_path: Path) -> None:
    """TFLM's bytes, state kept from one sample to the next."""
    models = {f"with_{each.value}": made(each).model for each in LEAST_DB}
    jobs = [
        Job(name, model, integers_of(model).tobytes(), is_sequence=True)
        for name, model in models.items()
    ]
    found = run_combined(target_or_skip(SANITIZED), jobs, folder=tmp_path)
    for name, model in models.items():
        (expected,) = tflm_outputs(model, [integers_of(model)], is_sequence=True)
        assert found[name] == expected.tobytes()


def test_twenty_inputs() -> None:
    """What LiteRT takes, and TFLM does not."""
    model = lstm("float32")
    (operator,) = model.operators
    model = replace(model, operators=(replace(operator, inputs=operator.inputs[:20]),))
    with pytest.raises(UnsupportedError, match="20 inputs, expected 24, of which those"):
        quantized(model)
