"""What cannot slide is refused in one line, which names the node where one is the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.arena.test_variables import LAYERS
from tests.conftest import ZooModel
from tests.plan.chains import Chain
from tests.slide.networks import spotter
from tests.support.host import host
from tinyml_rules.cli import main
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import TinymlError
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.model_file.writer import (
    OPTIONAL,
    ModelSpec,
    OperatorSpec,
    TensorSpec,
    build_model,
)
from tinyml_rules.ops._shared.cases.case import int32s
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.request.request import Request, Weights

NOT_BY_ROWS = (
    "windows cannot slide over it, expected a layer that makes each row alike from a few rows"
)


def error_of(model: bytes, **options: Any) -> str:
    """What is said of a model whose windows shall slide."""
    options = {"push_rows": True, "slide": 2, **options}
    with pytest.raises(TinymlError) as caught:
        compile_model(Request(model, "m", host(), **options))
    text = str(caught.value)
    return text.splitlines()[0]


def finished(chain: Chain) -> bytes:
    """The model of a chain."""
    spec = ModelSpec(tuple(chain.tensors), tuple(chain.operators), (0,), (chain.current,))
    return build_model(spec)


def convolved(rows: int = 12) -> Chain:
    """An image of `rows` rows after a convolution."""
    chain = Chain(min)
    chain.activation((1, rows, 4, 1))
    weights = chain.weights((2, 3, 3, 1), taps=9)
    options = {"Padding": 0, "StrideH": 1, "StrideW": 1}
    chain.append("CONV_2D", weights, OPTIONAL, shape=(1, rows, 4, 2), **options)
    return chain


def transposed() -> bytes:
    """Time and features change places."""
    chain = convolved()
    chain.tensors.append(int32s("order", (0, 2, 1, 3)))
    chain.append("TRANSPOSE", len(chain.tensors) - 1, shape=(1, 4, 12, 2))
    weights = chain.weights((3, 96), taps=96)
    chain.append("FULLY_CONNECTED", weights, OPTIONAL, shape=(1, 3))
    return finished(chain)


def normalized() -> bytes:
    """A SOFTMAX over all values of a window."""
    chain = convolved()
    flat = chain.activation((1, 96))
    chain.operators.append(OperatorSpec("RESHAPE", (chain.current,), (flat,), options_table=""))
    chain.tensors.append(TensorSpec("scores", (1, 96), scales=(1 / 256,), zero_points=(-128,)))
    chain.operators.append(OperatorSpec("SOFTMAX", (flat,), (flat + 1,), {"Beta": 1.0}))
    chain.current = flat + 1
    return finished(chain)


def resized() -> bytes:
    """Rows that differ in what they are made of."""
    chain = convolved()
    chain.tensors.append(int32s("size", (24, 4)))
    chain.append("RESIZE_BILINEAR", len(chain.tensors) - 1, shape=(1, 24, 4, 2))
    return finished(chain)


def real() -> bytes:
    """A convolution and a dense layer of float32."""
    ones = [np.ones(shape, np.float32) for shape in ((1, 1, 1, 1), (3, 48))]
    tensors = (
        TensorSpec("in", (1, 12, 4, 1), "float32"),
        TensorSpec("kernel", (1, 1, 1, 1), "float32", data=ones[0]),
        TensorSpec("middle", (1, 12, 4, 1), "float32"),
        TensorSpec("weights", (3, 48), "float32", data=ones[1]),
        TensorSpec("out", (1, 3), "float32"),
    )
    options = {"Padding": 0, "StrideH": 1, "StrideW": 1}
    operators = (
        OperatorSpec("CONV_2D", (0, 1, OPTIONAL), (2,), options),
        OperatorSpec("FULLY_CONNECTED", (2, 3, OPTIONAL), (4,), {}),
    )
    return build_model(ModelSpec(tensors, operators, (0,), (4,)))


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (transposed(), f"m: node 1 (transpose): error: {NOT_BY_ROWS}"),
        (normalized(), f"m: node 2 (softmax): error: {NOT_BY_ROWS}"),
        (resized(), f"m: node 1 (resize_bilinear): error: {NOT_BY_ROWS}"),
        (
            build_model(LAYERS),
            "m: node 2 (svdf): error: has a variable: the model is a stream already, expected one "
            "without state",
        ),
    ],
    ids=["transposed", "normalized", "resized", "state"],
)
def test_layers(model: bytes, told: str) -> None:
    assert error_of(model) == told


def test_real_sums() -> None:
    """Of convolutions real rows slide; what adds them up does not, or takes the window whole."""
    assert error_of(real()).startswith("m: node 1 (fully_connected): error: windows cannot slide")


@pytest.mark.parametrize("hop", [1, 3, 25])
def test_hops_between_strides(hop: int) -> None:
    told = f"m: node 0 (conv_2d): error: slide={hop}, expected a multiple of 2"
    assert error_of(spotter(Padding.SAME), slide=hop) == told


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"slide": 50}, "m: error: slide=50, expected at most 49, the rows of its input"),
        ({"push_rows": False}, "m: error: slide=2 without push_rows, expected both"),
        (
            {"arena": ArenaMode.SHARED},
            "m: error: slide=2 with arena=shared, which other models overwrite between two rows",
        ),
        ({"dump": True}, "m: error: slide=2 with dump, which prints single inferences"),
        ({"watched": True}, "m: error: slide=2, but tensors are compared for single inferences"),
    ],
)
def test_options(options: dict[str, Any], told: str) -> None:
    assert error_of(spotter(Padding.VALID), **options) == told


def test_packed_weights(zoo_model: ZooModel) -> None:
    """speech has some that pay."""
    model = zoo_model("speech").read_bytes()
    told = "m: node 2 (fully_connected): error: windows cannot slide over it: packed weights are "
    assert error_of(model, weights=Weights.PACKED).startswith(told)


def test_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.tflite"
    file.write_bytes(spotter(Padding.VALID))
    words = ["compile", str(file), "--push-rows", "--slide=0", "--out", str(tmp_path / "out")]
    assert main(words) != 0
    assert capsys.readouterr().err == "slide: error: found '0', expected 1 to 4096 rows\n"
