"""`accuracy` on models whose answers TFLM has recorded, and every mistake in labelled vectors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.accuracy.conftest import Ask
from tests.conftest import MODELS_FOLDER, ZooModel
from tests.frontends.builds import SINE
from tinyml_rules.cli import main
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

CLASSES = 12
SINE_BYTES = (SINE / "sine.tflite").read_bytes()


@pytest.fixture
def kws(zoo_model: ZooModel) -> Path:
    """The keyword spotter of the zoo, 12 classes."""
    return zoo_model("kws")


def recorded(model: str) -> dict[str, Any]:
    """Inputs and TFLM's outputs by tensor name."""
    with np.load(MODELS_FOLDER / model / "vectors.npz") as vectors:
        return dict(vectors)


def labelled_kws() -> dict[str, Any]:
    """The inputs, labelled by what TFLM answers."""
    arrays = recorded("kws")
    scores = arrays.pop("Identity").reshape(-1, CLASSES)
    return {**arrays, "labels": scores.argmax(axis=1)}


def test_all_right(ask: Ask, kws: Path, tmp_path: Path) -> None:
    """By TFLM's answers, which the C gives; the report and the depfile are written."""
    arrays = labelled_kws()
    count = len(arrays["labels"])
    out, depfile = tmp_path / "out" / "kws.accuracy.json", tmp_path / "d"
    words = ("--min", "1", "--out", str(out), "--depfile", str(depfile))
    status, printed, _ = ask(kws, arrays, *words)
    assert (status, printed) == (0, f"TINYML  kws: accuracy 1.0000 ({count} of {count})\n")
    report = json.loads(out.read_text())["accuracy"]
    assert (report["accuracy"], report["samples"], report["bounds"]) == (1, count, {"min": 1})
    assert sum(each["samples"] for each in report["classes"]) == count
    named = depfile.read_text()
    for name in (
        "kws.tflite",
        "labelled.npz",
        "accuracy/judge.py",
        "host/port.c",
        "runners/host.py",
    ):
        assert f"{name} \\\n" in named, name


def test_worst_class(ask: Ask, kws: Path, tmp_path: Path) -> None:
    """Of wrong labels: the class is named that is right least often, with what it is taken for."""
    arrays = labelled_kws()
    answers = arrays["labels"].copy()
    count = len(answers)
    worst = int((answers[0] + 1) % CLASSES)
    arrays["labels"][:2] = worst
    right = int((answers == arrays["labels"]).sum())
    samples = int((arrays["labels"] == worst).sum())
    of_worst = int((answers[arrays["labels"] == worst] == worst).sum())
    arrays["names"] = np.array([f"word {number}" for number in range(CLASSES)])
    out = tmp_path / "kws.accuracy.json"
    status, _, said = ask(kws, arrays, "--min", "0.99", "--out", str(out))
    assert status == 1
    assert said.startswith(
        f"kws: error: accuracy {right / count:.4f} ({right} of {count} samples), expected at least "
        f"0.99; class 'word {worst}': {of_worst} of {samples} right, taken for 'word {answers[0]}' "
    )
    assert not out.exists()


def test_numbers(ask: Ask) -> None:
    """SQNR and the greatest difference are those of TFLM's outputs and what is expected."""
    arrays = recorded("sine")
    port = compile_model(Request(SINE_BYTES, "sine", load_target("host"))).report.outputs[0]
    steps = arrays.pop("sine/output").astype(np.float64) - port.zero_point
    real = (steps * np.float32(port.scale)).astype(np.float32).astype(np.float64)
    noise = np.random.default_rng(1).normal(0, 0.01, real.shape)
    expected = (real + noise).astype(np.float32).astype(np.float64)
    error = np.abs(expected - real)
    ratio = 10 * np.log10((expected**2).sum() / (error**2).sum())
    vectors = {**arrays, "expected": expected.astype(np.float32)}
    sine = SINE / "sine.tflite"
    status, printed, _ = ask(sine, vectors, "--json", "--min-sqnr", f"{ratio - 0.01:.4f}")
    assert status == 0
    found = json.loads(printed)["accuracy"]
    assert found["sqnr_db"] == pytest.approx(ratio, abs=1e-5)
    assert found["max_difference"] == pytest.approx(error.max(), rel=1e-6)
    words = ("--min-sqnr", f"{ratio + 0.01:.4f}", "--max-difference", "0.001")
    status, _, said = ask(sine, vectors, *words)
    first, second = said.splitlines()
    assert status == 1
    assert first.startswith(f"sine: error: SQNR {ratio:.2f} dB of {len(real)} samples, expected at")
    place = f"(value 0 of sample {int(error.argmax())}), expected at most 0.001"
    assert second == f"sine: error: an output differs by {error.max():.6g} {place}"


def test_single_value(ask: Ask) -> None:
    """Of a model with one value: class 1 from the threshold on; in real numbers as well, which the
    input's scale quantizes."""
    arrays = recorded("sine")
    report = compile_model(Request(SINE_BYTES, "sine", load_target("host"))).report
    given, told = report.inputs[0], report.outputs[0]
    arrays = {name: values.astype(int) for name, values in arrays.items()}
    real = (arrays["sine/output"].reshape(-1) - told.zero_point) * np.float32(told.scale)
    angles = (arrays["sine/input"] - given.zero_point) * np.float32(given.scale)
    vectors = {"sine/input": angles.astype(np.float32), "labels": (real >= -0.25).astype(np.uint8)}
    sine = SINE / "sine.tflite"
    assert ask(sine, vectors, "--min", "1", "--threshold", "-0.25")[0] == 0
    share = float(((real >= 0.5) == (real >= -0.25)).mean())
    status, _, said = ask(sine, vectors, "--min", "1")
    assert (status, f"accuracy {share:.4f}" in said) == (1, True)
    assert "class 1: " in said


def two_outputs() -> bytes:
    """a[1, 3] -> itself twice, once as [1, 3], once as [3]."""

    def int8(name: str, *shape: int) -> TensorSpec:
        return TensorSpec(name, shape, scales=(1.0,), zero_points=(0,))

    spec = ModelSpec(
        tensors=(
            int8("a", 1, 3),
            TensorSpec("shape", (1,), "int32", data=np.array([3], np.int32)),
            int8("left", 3),
            int8("right", 1, 3),
        ),
        operators=(
            OperatorSpec("RESHAPE", (0, 1), (2,), {"NewShape": (3,)}),
            OperatorSpec("ADD", (0, 0), (3,), {}, version=2),
        ),
        inputs=(0,),
        outputs=(2, 3),
    )
    return build_model(spec)


SAMPLES = np.array([[[1, 2, 3]], [[3, 2, 1]]], np.int8)
RIGHT = np.array([2, 0])


def test_several_outputs(ask: Ask, tmp_path: Path) -> None:
    """One is named; a tie is of the first."""
    model = tmp_path / "two.tflite"
    model.write_bytes(two_outputs())
    arrays = {"a": np.array([[1, 3, 3], [3, 3, 1]], np.int8), "labels": np.array([1, 0])}
    for tensor in ("left", "right"):
        assert ask(model, arrays, "--min", "1", "--scores", tensor)[0] == 0
    status, _, said = ask(model, arrays)
    expected = "the model has outputs 'left', 'right', expected 'scores' to name one"
    assert (status, said) == (2, f"labelled.npz: error: {expected}\n")
    status, _, said = ask(model, arrays, "--scores", "lef")
    assert said.endswith(
        "expected one of the outputs 'left', 'right'\n  hint: did you mean 'left'?\n"
    )


WRONG = {
    "has neither 'labels' nor 'expected'": {"a": SAMPLES},
    "did you mean 'labels'?": {"a": SAMPLES, "label": RIGHT},
    "lacks 'a', the model's inputs": {"labels": RIGHT},
    "'labels' has shape [3], expected [2]: one for each sample": {
        "a": SAMPLES,
        "labels": np.zeros(3, int),
    },
    "'labels' has shape [], expected [2]": {"a": SAMPLES, "labels": np.array(1)},
    "label 3 of sample 1, expected 0 to 2: output 'left' has 3 values": {
        "a": SAMPLES,
        "labels": np.array([0, 3]),
    },
    "label -1 of sample 0, expected 0 to 2": {"a": SAMPLES, "labels": np.array([-1, 0])},
    "'labels' are float64, expected integers": {"a": SAMPLES, "labels": np.array([0.0, 1.0])},
    "'names' has 4, expected 3: output 'left' has 3 values": {
        "a": SAMPLES,
        "labels": RIGHT,
        "names": np.array(list("abcd")),
    },
    "'names' is int64 [3], expected a list of texts": {
        "a": SAMPLES,
        "labels": RIGHT,
        "names": np.arange(3),
    },
    "input 'a' has values that are not a number": {
        "a": np.array([[1.0, 2.0, np.nan]], np.float32),
        "labels": np.array([1]),
    },
    "input 'a' has shape [2, 4], expected [1, 3]": {
        "a": np.zeros((2, 4), np.int8),
        "labels": RIGHT,
    },
    "input 'a' is int64, expected int8, or float32 to be quantized": {
        "a": SAMPLES.astype(np.int64),
        "labels": RIGHT,
    },
    "no samples": {"a": np.zeros((0, 1, 3), np.int8), "labels": np.zeros(0, int)},
    "lacks 'expected', to which the bound 'max_difference' applies": {
        "a": SAMPLES,
        "labels": RIGHT,
    },
    "'expected' has shape [2, 4], expected [2, 3]": {
        "a": SAMPLES,
        "expected": np.zeros((2, 4), np.float32),
    },
    "'expected' is int64, expected float32": {"a": SAMPLES, "expected": np.zeros((2, 3), int)},
    "'expected' of sample 1 is not finite, expected numbers": {
        "a": SAMPLES,
        "expected": np.array([[1, 2, 3], [1, 2, np.inf]], np.float32),
    },
    "array 'a' has Python objects, expected arrays of numbers": {
        "a": np.array([{}], object),
        "labels": RIGHT,
    },
}


@pytest.mark.parametrize("text", WRONG)
def test_mistakes(ask: Ask, tmp_path: Path, text: str) -> None:
    """One line, and no traceback."""
    model = tmp_path / "two.tflite"
    model.write_bytes(two_outputs())
    status, printed, said = ask(model, WRONG[text], "--scores", "left", "--max-difference", "9")
    assert (status, printed) == (2, "")
    assert said.startswith("labelled.npz: error: ")
    assert text in said
    assert len(said.splitlines()) <= 1 + ("hint" in said)


@pytest.mark.parametrize("cut", [0, 100, 400])
def test_broken_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], cut: int) -> None:
    """Bytes that say of themselves what is not so."""
    whole = tmp_path / "whole.npz"
    np.savez(whole, a=np.zeros((9, 1, 3), np.int8), labels=np.zeros(9, int))
    data = bytearray(whole.read_bytes())
    data[cut : cut + 60] = b"\xff" * 60
    (tmp_path / "broken.npz").write_bytes(data)
    (tmp_path / "two.tflite").write_bytes(two_outputs())
    words = ["accuracy", str(tmp_path / "two.tflite"), "--vectors", str(tmp_path / "broken.npz")]
    assert main([*words, "--scores", "left"]) == 2
    assert "broken.npz: error: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--min", "1.5"), "min: error: found '1.5', expected a number from 0 to 1"),
        (("--min", "nan"), "min: error: found 'nan', expected a number from 0 to 1"),
        (("--min-sqnr", "many"), "min_sqnr: error: found 'many', expected a number of 0 or more"),
    ],
)
def test_bounds(ask: Ask, words: tuple[str, ...], text: str) -> None:
    """A bound that is none."""
    assert ask(SINE / "sine.tflite", {}, *words) == (2, "", f"{text}\n")
