"""Layers of float32 with weights of int8 or float16, compiled as they are: bit for bit what TFLM
makes of the same model with weights of float32."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.tflm import tflm_outputs
from tinyml_rules.compare.reference import NUMPY, TFLM, chosen_reference, known_tensors
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import ModelError, TinymlError, UnsupportedError, UsageError
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import random_case, with_tensor
from tinyml_rules.ops._shared.cases.reals import in_reals
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.ops.transpose_conv.cases import transpose_conv
from tinyml_rules.request.graph import graph_of
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

WEIGHTS = 1
OPTIONS = {"dequantize": True}


@dataclass(frozen=True, eq=False)
class Pair:
    """A model with narrow weights, and the same with what DEQUANTIZE makes of them."""

    narrow: ModelSpec
    wide: ModelSpec

    @property
    def samples(self) -> npt.NDArray[Any]:
        (index,) = self.wide.inputs
        shape = self.wide.tensors[index].shape
        return np.random.default_rng(3).normal(0, 5, (4, *shape)).astype(np.float32)

    @property
    def expected(self) -> bytes:
        (found,) = tflm_outputs(build_model(self.wide), [self.samples])
        return found.tobytes()


def pair_of(
    model: ModelSpec, dtype: str = "int8", *, axis: int = 0, weights: int = WEIGHTS
) -> Pair:
    """Of a model of int8: float32, with weights of the type."""
    tensor = model.tensors[weights]
    real = in_reals(random_case(model)).model
    shape = [1] * len(tensor.shape)
    shape[axis] = -1 if len(tensor.scales) > 1 else 1
    data: Any = tensor.data
    values = np.array(tensor.scales, np.float32).reshape(shape) * data.astype(np.float32)
    narrow = replace(tensor, zero_points=(0,) * len(tensor.scales), axis=axis)
    if dtype == "float16":
        halves = values.astype(np.float16)
        narrow = replace(tensor, dtype=dtype, scales=(), zero_points=(), data=halves)
        values = halves.astype(np.float32)
    wide = with_tensor(real, weights, data=values, scales=(), zero_points=())
    tensors = list(wide.tensors)
    tensors[weights] = narrow
    return Pair(replace(wide, tensors=tuple(tensors)), wide)


PAIRS = {
    "conv": pair_of(conv((1, 5, 4, 3))),
    "conv_per_tensor": pair_of(conv((1, 6, 5, 2), (2, 3), strides=(2, 1), is_per_axis=False)),
    "conv_groups": pair_of(conv((1, 5, 4, 4), outputs=4, groups=2)),
    "conv_no_bias": pair_of(conv(bias_size=None)),
    "conv_of_halves": pair_of(conv(), "float16"),
    "depthwise": pair_of(depthwise((1, 5, 4, 3)), axis=3),
    "depthwise_per_tensor": pair_of(depthwise((1, 5, 4, 3), is_per_axis=False), axis=3),
    "depthwise_of_one_channel": pair_of(depthwise((1, 5, 4, 1)), axis=3),
    "depthwise_of_halves": pair_of(depthwise(), "float16", axis=3),
    "dense": pair_of(dense((2, 10), (2, 6), is_per_axis=True)),
    "dense_per_tensor": pair_of(dense((2, 10), (2, 6), is_per_axis=False)),
    "dense_of_halves": pair_of(dense(), "float16"),
    "transposed": pair_of(transpose_conv()),
}
IN_FLASH = [name for name in PAIRS if not name.endswith("halves") and name != "transposed"]
"""Those whose weights stay bytes."""


def request_of(model: ModelSpec, name: str = "m", target: str = "host", **more: Any) -> Request:
    return Request.of(build_model(model), name, load_target(target), {**OPTIONS, **more})


@pytest.mark.parametrize("target_name", [SANITIZED, "nrf52840", "atmega1284p"])
def test_c(target_name: str, tmp_path: Path) -> None:
    """On the host, and on parts with a float unit and without."""
    jobs = [
        Job(name, build_model(pair.narrow), pair.samples.tobytes(), dequantize=True)
        for name, pair in PAIRS.items()
    ]
    found = run_combined(target_or_skip(target_name), jobs, folder=tmp_path)
    assert len(found) == len(PAIRS)
    assert [name for name, pair in PAIRS.items() if found[name] != pair.expected] == []


@pytest.mark.parametrize("name", PAIRS)
def test_numpy(name: str) -> None:
    """The meanings, which `compare` has for these models instead of TFLM."""
    pair = PAIRS[name]
    request = request_of(pair.narrow)
    graph = graph_of(request)
    assert chosen_reference(None, graph) == NUMPY
    known = known_tensors(
        NUMPY, request.model, graph, request.operators, [[each] for each in pair.samples]
    )
    (result,) = graph.outputs
    values = [by(0, result) for by in known]
    assert b"".join(each.tobytes() for each in values if each is not None) == pair.expected


@pytest.mark.parametrize("name", IN_FLASH)
def test_weights_stay_bytes(name: str) -> None:
    """As constants of int8, a quarter of the flash of float32."""
    text = compile_model(request_of(PAIRS[name].narrow)).files["m.c"]
    assert "static const int8_t m_node_0_weights" in text


def test_every_narrow_kernel_is_used() -> None:
    """By one of the models."""
    kernels = [each for op in builtin_operators().values() for each in op.kernels]
    narrow = {each.name for each in kernels if each.name.endswith("_narrow")}
    texts = [compile_model(request_of(PAIRS[name].narrow)).files["m.c"] for name in IN_FLASH]
    assert len(narrow) == 3
    assert {name for name in narrow if not any(f" m_{name}" in text for text in texts)} == set()


def test_without_the_option() -> None:
    """Refused, with both ways out."""
    request = Request.of(build_model(PAIRS["dense"].narrow), "m", load_target("host"), {})
    with pytest.raises(UnsupportedError) as caught:
        compile_model(request)
    assert "or compile it in floating point with --dequantize" in str(caught.value)


def test_float_unit() -> None:
    """Parts without one get the warning of float models."""
    (warning,) = compile_model(request_of(PAIRS["dense"].narrow, target="nrf51")).warnings
    assert "are float32, slow where there is no float unit" in warning


def test_int8_models_stay() -> None:
    """The option changes nothing of them."""
    files = [
        compile_model(Request.of(build_model(conv()), "m", load_target("host"), options)).files
        for options in ({}, OPTIONS)
    ]
    assert files[0]["m.c"] == files[1]["m.c"]


def test_scale_of_zero() -> None:
    """One line, of the reader."""
    broken = with_tensor(PAIRS["dense_per_tensor"].narrow, WEIGHTS, scales=(0.0,))
    with pytest.raises(TinymlError) as caught:
        compile_model(request_of(broken))
    (problem,) = caught.value.problems
    assert isinstance(caught.value, ModelError)
    assert "has scale 0, which only constants of zeros may have" in problem.what


def test_reference() -> None:
    """TFLM has no kernel for such layers."""
    with pytest.raises(UsageError) as caught:
        chosen_reference(TFLM, graph_of(request_of(PAIRS["dense"].narrow)))
    assert "float32 layers with int8 weights, which TFLM refuses" in str(caught.value)
