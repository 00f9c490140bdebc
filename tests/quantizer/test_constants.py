"""Constants of all sizes: a model, or an error that names the node, and no warning of numpy's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.quantizer.float_models import MODELS, ROW, chain, one, real, reals
from tests.quantizer.gru_models import gru_network
from tests.quantizer.runs import drawn, graph_of, quantized
from tests.quantizer.test_wrong_input import DENSE, equals_tflm, refused
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.model_file.writer import ModelSpec, TensorSpec
from tinyml_rules.quantizer.request import Scales

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("weight", [0.0, 1e-30, 1e30])
def test_extreme_weights(weight: float) -> None:
    """Weights that are all 0, next to nothing, or huge, in all channels or in one."""
    for channels in (slice(None), slice(1, 2)):
        filters = reals("w", (7, 12))
        assert isinstance(filters.data, np.ndarray)
        data = filters.data.copy()
        data[channels] = weight
        spec = one("FULLY_CONNECTED", [ROW, replace(filters, data=data), reals("b", (7,))], (1, 7))
        found = quantized(spec)
        scales = graph_of(found.model).tensors[1].quantization
        assert scales is not None and min(scales.scales) > 0
        equals_tflm(found.model)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("operand", ["w", "b"])
def test_constants_without_end(value: float, operand: str) -> None:
    """Weights of a training that went wrong: file, node and tensor, before anything is computed."""
    spec = with_constants(DENSE, value, operand)
    text = refused(spec)
    place = [each.name for each in spec.tensors].index(operand)
    count = spec.tensors[place].shape
    assert text.splitlines()[0] == (
        f"model: node 0 (fully_connected): error: constant tensor #{place} '{operand}' has values "
        f"that are no finite numbers (1 of {np.prod(count)})"
    )


@pytest.mark.parametrize("value", [np.inf, np.nan])
@pytest.mark.parametrize("place", ["half", "loop"])
def test_constants_without_end_elsewhere(place: str, value: float) -> None:
    """Weights of float16, and in the body of a loop."""
    weights = np.zeros((7, 12), np.float16)
    weights[2, 1] = value
    half = TensorSpec("w", (7, 12), "float16", data=weights)
    wide = real("wide", (7, 12))
    result = real("result", (1, 7))
    specs = {
        "half": chain(
            [("DEQUANTIZE", [half], wide, {}), ("FULLY_CONNECTED", [ROW, wide], result, {})]
        ),
        "loop": with_weight_in_loop(gru_network(3, 4, [5]), value),
    }
    text = refused(specs[place])
    assert "has values that are no finite numbers (1 of" in text
    assert "constant tensor #" in text and "(fully_connected): error:" in text


def with_weight_in_loop(spec: ModelSpec, value: float) -> ModelSpec:
    """A GRU network with this weight in the body of its loop."""
    condition, body = spec.others
    place = next(n for n, each in enumerate(body.tensors) if each.shape == (15, 4))
    data = np.array(body.tensors[place].data)
    data[2, 1] = value
    tensors = list(body.tensors)
    tensors[place] = replace(tensors[place], data=data)
    return replace(spec, others=(condition, replace(body, tensors=tuple(tensors))))


@pytest.mark.parametrize("scales", Scales)
@pytest.mark.parametrize("value", [3e38, -3e38])
@pytest.mark.parametrize("samples", [1e-3, 1.0, 1e30])
@pytest.mark.parametrize("name", ["FULLY_CONNECTED", "FULLY_CONNECTED without bias", "PADV2"])
def test_constants_near_the_end_of_float32(
    name: str, samples: float, value: float, scales: Scales
) -> None:
    """A model with finite scales, or one error that names the node; without warnings."""
    spec = MODELS[name]
    arrays = {each: values * np.float32(samples) for each, values in drawn(spec).items()}
    operand = "v" if name == "PADV2" else "w"
    try:
        found = quantized(with_constants(spec, value, operand), arrays, scales=scales)
    except UnsupportedError as error:
        assert "model: node 0 (" in str(error)
        return
    quantizations = [each.quantization for each in graph_of(found.model).tensors]
    assert all(np.isfinite(each.scales).all() for each in quantizations if each is not None)


def with_constants(spec: ModelSpec, value: float, operand: str) -> ModelSpec:
    """The model with this in the place of the constant's first value."""

    def changed(tensor: TensorSpec) -> TensorSpec:
        if tensor.name != operand:
            return tensor
        assert isinstance(tensor.data, np.ndarray)
        data = tensor.data.copy()
        data.reshape(-1)[0] = value
        return replace(tensor, data=data)

    return replace(spec, tensors=tuple(map(changed, spec.tensors)))


def test_sums_beyond_float32() -> None:
    """No finite number comes out: the node is named."""
    filters = TensorSpec("w", (7, 12), "float32", data=np.full((7, 12), 3e38, np.float32))
    spec = one("FULLY_CONNECTED", [ROW, filters], (1, 7))
    assert "node 0 (fully_connected): error: tensor #" in (text := refused(spec))
    assert "has a value that is not a finite number in sample" in text
