"""What is read instead of an output of which only the order counts: as far in front as the order is
the same, and no further; where values tie there, a result in front of them may still tell."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.decide.models import chain, decided, described, outputs_of, tensor
from tests.decide.probes import Probe, run_probes
from tests.support.combined import SANITIZED, target_or_skip
from tinyml_rules.ir.graph import Graph
from tinyml_rules.model_file.reader import read_model
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.passes import run_passes
from tinyml_rules.surroundings.decide.requests import asked
from tinyml_rules.surroundings.heads import add_heads

ARGMAX = '[output]\nhead = "argmax"\n'
ALL = np.arange(-128, 128)


def passed(model: bytes, text: str, folder: Path) -> Graph:
    """What the compiler makes of it, each layer with its own kernel."""
    operators = builtin_operators()
    graph = read_model(model, name="model", operators=operators)
    found = asked(graph, described(text, folder).outputs)
    heads = partial(add_heads, asked=found)
    return run_passes(graph, operators, keeps_layers=True, at_ends=(heads,))


def read(model: bytes, text: str, folder: Path) -> tuple[str, list[str]]:
    """The tensor that is read, and the operators that are left."""
    graph = passed(model, text, folder)
    return graph.tensors[graph.outputs[0]].name, [node.op for node in graph.nodes]


@pytest.mark.parametrize(
    "operators",
    [
        ("SOFTMAX",),
        ("LOG_SOFTMAX",),
        ("LOGISTIC",),
        ("TANH",),
        ("SOFTMAX", "RESHAPE"),
        ("LOGISTIC", "RESHAPE", "SOFTMAX"),
    ],
    ids=" ".join,
)
def test_what_keeps_the_order_is_left_out(operators: tuple[str, ...], tmp_path: Path) -> None:
    model = chain(6, *operators)
    assert read(model, ARGMAX, tmp_path) == ("logits", ["quantize"])
    assert read(model, '[output]\nhead = "top-k"\nk = 6\n', tmp_path)[0] == "logits"
    last = f"made_{len(operators)}"
    kept = ("keep_scores = true\n", "labels = ['a', 'b', 'c', 'd', 'e', 'f']\nkeep_scores = true\n")
    for more in kept:
        assert read(model, ARGMAX + more, tmp_path)[0] == last
    header = decided(model, ARGMAX, tmp_path).files["model.h"]
    assert f"It stands for\n * '{last}' of the file" in header
    both = '[output]\nhead = ["argmax", "fixed-point"]\n'
    assert read(model, both, tmp_path)[0] == last


def spec(
    *operators: OperatorSpec,
    shape: tuple[int, ...] = (1, 6),
    outputs: tuple[int, ...] = (2,),
    last: tuple[float, int] = (1 / 256, -128),
) -> bytes:
    """QUANTIZE to tensor 1, and the operators from there on."""
    tensors: list[TensorSpec] = [tensor("given", shape, 0.25, 3), tensor("logits", shape, 0.1, 0)]
    tensors += [tensor(f"made_{number}", shape, *last) for number in (2, 3)]
    every = (OperatorSpec("QUANTIZE", (0,), (1,)), *operators)
    return build_model(ModelSpec(tuple(tensors), every, (0,), outputs))


SOFTMAX = OperatorSpec("SOFTMAX", (1,), (2,), {"Beta": 1.0})

KEPT = {
    "read by a node": spec(SOFTMAX, OperatorSpec("LOGISTIC", (2,), (3,)), outputs=(2, 3)),
    "falling": spec(OperatorSpec("NEG", (1,), (2,)), last=(0.1, 0)),
    "along another axis": spec(SOFTMAX, shape=(6, 1)),
    "of the input itself": spec(replace(SOFTMAX, inputs=(0,))),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_stays(name: str, tmp_path: Path) -> None:
    """Where something else reads it, or the order is another, or there is no tensor in front of it
    that the model makes."""
    graph = passed(KEPT[name], ARGMAX.replace("output", "output.made_2"), tmp_path)
    assert graph.tensors[graph.outputs[0]].name == "made_2"


def test_another_output_keeps_its_own(tmp_path: Path) -> None:
    """Of two outputs the one that is described is read in front; the other one is as it was."""
    other = OperatorSpec("SOFTMAX", (1,), (3,), {"Beta": 2.0})
    model = spec(SOFTMAX, other, outputs=(2, 3))
    graph = passed(model, ARGMAX.replace("output", "output.made_3"), tmp_path)
    assert [graph.tensors[index].name for index in graph.outputs] == ["made_2", "logits"]
    assert [node.op for node in graph.nodes] == ["quantize", "softmax"]


def test_scores_of_16_bits(tmp_path: Path) -> None:
    """An output that no decision could be made from need not be made."""
    tensors = (
        tensor("given", 6, 0.25, 3),
        tensor("logits", 6, 0.1, 0),
        tensor("scores", 6, 1 / 65536, -32768, "int16"),
    )
    operators = (OperatorSpec("QUANTIZE", (0,), (1,)), SOFTMAX)
    model = build_model(ModelSpec(tensors, operators, (0,), (2,)))
    assert read(model, ARGMAX, tmp_path) == ("logits", ["quantize"])


REAL = {
    "argmax": ("logits", ["fully_connected"]),
    "mean-squared-difference": (
        "scores",
        ["fully_connected", "softmax", "mean_squared_difference"],
    ),
}


@pytest.mark.parametrize("head", REAL)
def test_real_numbers_at_the_ends(head: str, tmp_path: Path) -> None:
    """Both conversions are the caller's; what is asked for names the tensors of the file."""
    tensors = (
        TensorSpec("real", (1, 2), "float32"),
        tensor("given", 2, 0.25, 3),
        TensorSpec("weights", (2, 2), "int8", (0.1,), (0,), data=np.eye(2, dtype=np.int8)),
        tensor("logits", 2, 0.1, 0),
        tensor("scores", 2, 1 / 256, -128),
        TensorSpec("real scores", (1, 2), "float32"),
    )
    operators = (
        OperatorSpec("QUANTIZE", (0,), (1,)),
        OperatorSpec("FULLY_CONNECTED", (1, 2), (3,)),
        OperatorSpec("SOFTMAX", (3,), (4,), {"Beta": 1.0}),
        OperatorSpec("DEQUANTIZE", (4,), (5,)),
    )
    model = build_model(ModelSpec(tensors, operators, (0,), (5,)))
    assert read(model, f'[output."real scores"]\nhead = "{head}"\n', tmp_path) == REAL[head]


@pytest.mark.parametrize("operator", ["SOFTMAX", "LOG_SOFTMAX"])
@pytest.mark.parametrize("scale", [2e-8, 1e-3, 0.1, 0.7, 3.0, 40.0])
def test_the_order_is_kept_in_tflm(operator: str, scale: float) -> None:
    """Of all 256 values in one vector, and of few of them, no larger one has a smaller result."""
    generator = np.random.default_rng(11)
    for vectors in (ALL[None], np.sort(generator.integers(-128, 128, (400, 5)), axis=1)):
        count = vectors.shape[1]
        ends = {"SOFTMAX": (1 / 256, -128), "LOG_SOFTMAX": (1 / 16, 127)}
        tensors = (tensor("given", count, scale, 0), tensor("made", count, *ends[operator]))
        options = {"Beta": 1.0} if operator == "SOFTMAX" else {}
        operators = (OperatorSpec(operator, (0,), (1,), options),)
        model = build_model(ModelSpec(tensors, operators, (0,), (1,)))
        found = outputs_of(model, vectors.astype(np.int8), 1, count).astype(np.int64)
        assert np.all(np.diff(found, axis=1) >= 0)


def test_answers(tmp_path: Path) -> None:
    """Those of ARG_MAX over TFLM's logits; in TFLM's scores no other class has a larger one, but
    some have the same, where ARG_MAX over the scores would give another answer."""
    count, logits = 6, (0.005, 0)
    target = target_or_skip(SANITIZED)
    model = chain(count, "SOFTMAX", logits=logits)
    samples = np.random.default_rng(5).integers(-128, 128, (500, count)).astype(np.int8)
    samples[:100] //= 32
    probe = Probe(decided(model, ARGMAX, tmp_path, target=target), ("model_decide(@)",))
    (found,) = run_probes(target, [probe], [samples], tmp_path)
    answers = found[:, 0]
    np.testing.assert_array_equal(
        answers, np.argmax(outputs_of(chain(count, logits=logits), samples, 1, count), axis=1)
    )
    scores = outputs_of(model, samples, 1, count)
    np.testing.assert_array_equal(scores[np.arange(len(scores)), answers], scores.max(axis=1))
    assert np.any(answers != np.argmax(scores, axis=1))
