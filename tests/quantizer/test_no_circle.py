"""What `compile` says of a model that is not whole in int8, followed word by word, leads to C whose
outputs are near to the float model's."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from tests.quantizer.partly_quantized import SPECS
from tests.quantizer.runs import AnyArray
from tests.support.combined import Job, run_combined, target_or_skip
from tests.support.litert import litert_outputs
from tests.support.stages import read
from tests.support.tflm import tflm_outputs
from tinyml_rules.arithmetic.decibels import sqnr_db
from tinyml_rules.arithmetic.fixed_point import dequantize_real, quantize_real
from tinyml_rules.cli import main
from tinyml_rules.ir.graph import Tensor
from tinyml_rules.model_file.writer import build_model

REPRODUCERS = Path(__file__).parents[1] / "regression"
NAMES = ("qat_not_converted", "qat_int8_not_converted", "int8_then_float_layers")
HINT = re.compile(r"hint: quantize the model: `.*tinyml_rules (quantize MODEL --calibration FILE)`")
WITHOUT_SAMPLES = {"int8_then_float_layers", "island", *(n for n in SPECS if "trained" in n)}
"""The file has the range of every tensor."""
LEAST_DB = {"island": 27.0, "int8_then_float_layers": 21.0, "dynamic range": 27.0}
"""The first two have coarse integers of their own; of the third LiteRT itself rounds the
activations at run time, which is not repeated."""
USUAL_DB = 30.0
CALIBRATION, JUDGED = 100, 24
"""Samples."""


@pytest.fixture(params=[*NAMES, *SPECS])
def name(request: pytest.FixtureRequest) -> str:
    """Of a model."""
    return str(request.param)


@pytest.fixture
def model(name: str, tmp_path: Path) -> Path:
    """Its file."""
    if name in SPECS:
        data = build_model(SPECS[name])
    else:
        data = (REPRODUCERS / name / "model.tflite").read_bytes()
    path = tmp_path / "given.tflite"
    path.write_bytes(data)
    return path


def test_the_hint_leads_to_c(
    name: str, model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """With samples."""
    compiled = ["compile", str(model), "--target", "atmega2560", "--out", str(tmp_path / "c")]
    main(compiled)
    said = capfd.readouterr().err
    hint = HINT.search(said)
    assert hint is not None, said
    assert "TensorFlow 1" not in said
    np.save(tmp_path / "cal.npy", samples_of(model, CALIBRATION, seed=1))
    words = {"MODEL": str(model), "FILE": str(tmp_path / "cal.npy")}
    line = [words.get(word, word) for word in shlex.split(hint[1])]
    assert main([*line, "--out", str(tmp_path / "int8.tflite")]) == 0
    check(name, model, tmp_path)


@pytest.mark.parametrize("name", sorted(WITHOUT_SAMPLES))
def test_without_samples(name: str, model: Path, tmp_path: Path) -> None:
    """Where the file has all ranges."""
    assert main(["quantize", str(model), "--out", str(tmp_path / "int8.tflite")]) == 0
    check(name, model, tmp_path)


@pytest.mark.parametrize("name", sorted({*NAMES, *SPECS} - WITHOUT_SAMPLES))
def test_samples_are_asked_for(
    model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Where it has not, by the name of a tensor."""
    assert main(["quantize", str(model), "--out", str(tmp_path / "int8.tflite")]) == 2
    said = capfd.readouterr().err
    assert re.match(r"given: error: (tensor|\d+ tensors, the first of them) #\d+ '", said), said
    assert "no range in the file, expected samples of the inputs" in said
    assert not (tmp_path / "int8.tflite").exists()


def check(name: str, model: Path, folder: Path) -> None:
    """The C gives TFLM's bytes, which are near to what LiteRT makes of the given model."""
    data = (folder / "int8.tflite").read_bytes()
    graph = read(data)
    assert all(tensor.dtype != "float32" for tensor in graph.tensors), name
    real = samples_of(model, JUDGED, seed=2)
    (source,) = (graph.tensors[index] for index in graph.inputs)
    (result,) = (graph.tensors[index] for index in graph.outputs)
    given = quantize_real(real, scale=source.scale, zero_point=source.zero_point)
    (expected,) = tflm_outputs(data, [given])
    job = Job("model", data, given.tobytes())
    built = folder / "built"
    built.mkdir()
    assert run_combined(target_or_skip("host_sanitized"), [job], folder=built) == {
        "model": expected.tobytes()
    }
    before = read(model.read_bytes())
    (first,) = (before.tensors[index] for index in before.inputs)
    (last,) = (before.tensors[index] for index in before.outputs)
    wanted = of_integers(last, litert_outputs(model.read_bytes(), [as_given(first, real)])[0])
    noise = np.square(of_integers(result, expected) - wanted).sum()
    found = sqnr_db(float(np.square(wanted).sum()), float(noise))
    assert found >= LEAST_DB.get(name, USUAL_DB), found


def samples_of(model: Path, count: int, *, seed: int) -> AnyArray:
    """Real numbers for its input."""
    graph = read(model.read_bytes())
    (index,) = graph.inputs
    generator = np.random.default_rng(seed)
    values = generator.normal(0, 1, (count, *graph.tensors[index].shape))
    return np.clip(values, -3.9, 3.9).astype(np.float32)


def as_given(tensor: Tensor, real: AnyArray) -> AnyArray:
    """What the model itself takes."""
    if tensor.dtype.is_real:
        return real
    return quantize_real(real, scale=tensor.scale, zero_point=tensor.zero_point)


def of_integers(tensor: Tensor, values: AnyArray) -> AnyArray:
    """What the numbers of an output stand for."""
    if tensor.dtype.is_real:
        return values.astype(np.float64)
    found = dequantize_real(values, scale=tensor.scale, zero_point=tensor.zero_point)
    return found.astype(np.float64)
