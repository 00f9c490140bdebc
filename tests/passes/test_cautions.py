"""Numbers that TFLM computes with, and that are hardly meant: one warning of each kind a model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ZooModel
from tinyml_rules.cli import main
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.ops._shared.cases.case import constant, quantized
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

END = "; nodes that deviate from the 8-bit specification: {}"
ZOO = ("sine", "speech", "kws", "ad", "person_detect")
BIAS = np.array([3, -4], np.int32)
PLAIN = quantized("x", (1, 4), scale=0.5, zero_point=3)


def bias(scale: float, *, values: np.ndarray = BIAS) -> TensorSpec:
    return TensorSpec("b", (2,), "int32", scales=(scale,), zero_points=(0,), data=values)


def layer(
    *,
    weights: TensorSpec | None = None,
    bias_: TensorSpec | None = None,
    source: TensorSpec = PLAIN,
) -> ModelSpec:
    """FULLY_CONNECTED of four values, as the specification has it unless given."""
    plain = constant("w", [[127, -127, 1, 2], [3, 4, 5, 6]], scales=(0.01,))
    result = quantized("y", (1, 2), scale=4.0)
    tensors = (source, weights or plain, bias_ or bias(0.005), result)
    return ModelSpec(tensors, (OperatorSpec("FULLY_CONNECTED", (0, 1, 2), (3,)),), (0,), (3,))


def moved(*dimensions: int) -> ModelSpec:
    """int8 values without a scale, through as many nodes as there are dimensions."""
    shapes = [(1, 8), *((size, 8 // size) for size in dimensions)]
    tensors = [TensorSpec(f"t{place}", shape) for place, shape in enumerate(shapes)]
    first = len(tensors)
    tensors += [
        TensorSpec(f"s{place}", (2,), "int32", data=np.array(shape, np.int32))
        for place, shape in enumerate(shapes[1:])
    ]
    nodes = [
        OperatorSpec("RESHAPE", (place, first + place), (place + 1,))
        for place in range(len(dimensions))
    ]
    return ModelSpec(tuple(tensors), tuple(nodes), (0,), (len(dimensions),))


def lowest() -> ModelSpec:
    return layer(weights=constant("w", [[-128, 0, 1, 2], [3, 4, 5, 6]], scales=(0.01,)))


def centred() -> ModelSpec:
    values = [[1, 0, 1, 2], [3, 4, 5, 6]]
    return layer(weights=constant("w", values, scales=(0.01,), zero_point=2))


DEVIATIONS: dict[str, tuple[Callable[[], ModelSpec], str, int]] = {
    "bias_scale": (
        lambda: layer(bias_=bias(0.01)),
        "bias tensor #2 'b' has scale 0.01, expected 0.005, "
        "that of the input times that of the weights",
        1,
    ),
    "lowest_weight": (
        lowest,
        "weights tensor #1 'w' has -128, expected values from -127 to 127",
        1,
    ),
    "weights_zero_point": (centred, "weights tensor #1 'w' has a zero point that is not 0", 1),
    "moved": (lambda: moved(2, 4, 8), "tensor #0 't0' is int8 without a scale and a zero point", 3),
}


def warnings_of(model: bytes) -> list[str]:
    return list(compile_model(Request(model, "net", load_target("host"))).warnings)


@pytest.mark.parametrize("name", DEVIATIONS)
def test_deviation(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line in `compile` and in `inspect`, which names the first node and says how many."""
    make, what, count = DEVIATIONS[name]
    model = build_model(make())
    (warning,) = warnings_of(model)
    where, _, text = warning.splitlines()[0].partition(": warning: ")
    assert where.startswith("net: node 0 (")
    assert what in text
    assert text.endswith(END.format(count))
    file = tmp_path / "net.tflite"
    file.write_bytes(model)
    assert main(["compile", str(file), "--target", "host", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().err.count("warning: ") == 1
    assert main(["inspect", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["warnings"] == [warning]
    assert main(["inspect", str(file)]) == 0
    assert capsys.readouterr().out.count("warning: ") == 1


ZEROS = np.zeros(2, np.int32)
NEAR = float(np.float32(0.5) * np.float32(0.01))


@pytest.mark.parametrize(
    "model",
    [layer(), layer(bias_=bias(NEAR)), layer(bias_=bias(0.02, values=ZEROS))],
    ids=["as_specified", "rounded", "zeros"],
)
def test_nothing_to_say(model: ModelSpec) -> None:
    """Of a product as converters round it, and of zeros, whose scale means nothing."""
    assert warnings_of(build_model(model)) == []


@pytest.mark.parametrize("name", ZOO)
def test_real_models(name: str, zoo_model: ZooModel) -> None:
    assert warnings_of(zoo_model(name).read_bytes()) == []
