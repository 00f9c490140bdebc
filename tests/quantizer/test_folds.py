"""Choices are made without the samples that judge them, and taken where all judges agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.quantizer.float_models import IMAGE, RELU, SAME, STRIDES, chain, one, real, reals
from tests.quantizer.runs import OPERATORS, AnyArray, drawn, graph_of, quantized
from tests.support.tflm import tflm_outputs
from tinyml_rules.arithmetic.fixed_point import quantize_real
from tinyml_rules.errors import UsageError
from tinyml_rules.model_file.writer import TensorSpec, build_model
from tinyml_rules.ops._shared.interpreter import run_graph
from tinyml_rules.quantizer.calibrate import Recorded, Recording, record
from tinyml_rules.quantizer.candidates import EQUAL
from tinyml_rules.quantizer.equalize import equalized
from tinyml_rules.quantizer.folds import folds_of
from tinyml_rules.quantizer.judge import BEST_DB
from tinyml_rules.quantizer.quality import quality
from tinyml_rules.quantizer.ranges import with_margin
from tinyml_rules.quantizer.report import report_text
from tinyml_rules.quantizer.request import Arrays
from tinyml_rules.quantizer.samples import samples_of
from tinyml_rules.quantizer.stay_float import plan_core

WIDTH = 64
SIZES = np.array([1.0, 0.02, 0.3, 0.004], np.float32)
"""Of the channels between two convolutions, of which the first lets the others vanish in int8."""
UNEVEN = chain(
    [
        (
            "CONV_2D",
            [
                IMAGE,
                TensorSpec(
                    "w",
                    (4, 1, 1, 4),
                    "float32",
                    data=np.diag(SIZES).reshape(4, 1, 1, 4),
                ),
                reals("b", (4,), scale=1e-3),
            ],
            real("inner", (1, 6, 6, 4)),
            {"Padding": SAME, "FusedActivationFunction": RELU, **STRIDES},
        ),
        (
            "DEPTHWISE_CONV_2D",
            [
                real("inner", (1, 6, 6, 4)),
                TensorSpec(
                    "v",
                    (1, 3, 3, 4),
                    "float32",
                    data=(np.linspace(0.5, 1, 36, dtype=np.float32).reshape(1, 3, 3, 4) / SIZES),
                ),
                reals("c", (4,)),
            ],
            real("y", (1, 6, 6, 4)),
            {"Padding": SAME, "DepthMultiplier": 1, **STRIDES},
        ),
    ]
)
DENSE = one("FULLY_CONNECTED", [real("x", (1, 12)), reals("w", (7, 12)), reals("b", (7,))], (1, 7))


def rows(count: int) -> list[dict[int, AnyArray]]:
    """Samples of one input, each unlike the others."""
    generator = np.random.default_rng(3)
    return [{0: generator.normal(0, 1, WIDTH).astype(np.float32)} for _ in range(count)]


def test_runs_make_folds() -> None:
    """Neighbours are in one fold, and every third run in the same."""
    found = folds_of(rows(24))
    assert found == tuple(run % 3 for run in range(12) for _ in range(2))
    assert folds_of(rows(36))[:9] == (0, 0, 0, 1, 1, 1, 2, 2, 2)


def test_nearly_the_same_are_in_one_fold() -> None:
    """Wherever they are; of an input that never changes there is one fold."""
    samples = rows(24)
    samples[23] = {0: samples[0][0] * np.float32(1.001)}
    found = folds_of(samples)
    assert found[23] == found[0] == 0
    assert folds_of(rows(24))[23] == 2
    samples[23] = {0: samples[0][0] * np.float32(1.1)}
    assert folds_of(samples)[23] == 2
    assert set(folds_of([samples[0]] * 24)) == {0}


@pytest.mark.parametrize(("count", "folds"), [(1, 1), (3, 1), (4, 1), (5, 2), (6, 3), (7, 3)])
def test_small_folds(count: int, folds: int) -> None:
    """A single sample is no fold: nothing would be left of it without the mean."""
    assert len(set(folds_of(rows(count)))) == folds


def recording_of(ends: list[tuple[float, float]]) -> Recording:
    """A run each."""
    samples = (Recorded(run, 0, {5: each}, None, None) for run, each in enumerate(ends))
    return Recording((), tuple(samples))


def test_margin() -> None:
    """Beyond what was seen where one run is alone out there, and never within."""
    found = with_margin(recording_of([(-1.0, 2.0), (-1.0, 4.0), (-0.5, 3.0)]))
    assert found[5] == pytest.approx((-1.0, 4.0 + np.log(2)))
    assert with_margin(recording_of([(-1.0, 2.0)])) == {5: (-1.0, 2.0)}


def test_scaled_channels_are_the_same_floats() -> None:
    """To the last bit: factors are powers of two."""
    graph, (before, after) = equal_graphs()
    changed = [
        one.name
        for one, two in zip(before.tensors, after.tensors, strict=True)
        if one.data is not None and not np.array_equal(one.data, two.data)
    ]
    assert changed == ["w", "b", "v"]
    for sample in images(3):
        (wanted,), (found,) = (
            run_graph(each, OPERATORS, {graph.inputs[0]: sample}) for each in (before, after)
        )
        assert found.tobytes() == wanted.tobytes()


def equal_graphs() -> tuple[Any, tuple[Any, Any]]:
    """The graph of the plan, and the same with scaled channels."""
    graph = graph_of(build_model(UNEVEN))
    plan, _ = plan_core(graph, OPERATORS, is_full_integer=True)
    samples = samples_of(graph, Arrays("x", {"": images(6)}), None)
    scaled, _ = equalized(plan, record(graph, OPERATORS, samples, lambda _line: None))
    return graph, (plan.graph, scaled.graph)


def images(count: int, seed: int = 5) -> AnyArray:
    """[count, 1, 6, 6, 4]"""
    return np.random.default_rng(seed).normal(0, 1, (count, 1, 6, 6, 4)).astype(np.float32)


def test_scaled_channels_are_chosen() -> None:
    """They bring more than 10 dB, and so they do on TFLM with other samples."""
    found = quantized(UNEVEN, {"": images(24)})
    assert found.report["steps"][0] == EQUAL
    assert found.report["gain_db"] > 10
    assert found.report["judges"] == 3
    graph, values = graph_of(found.model), images(8, seed=6)
    source, result = graph.tensors[graph.inputs[0]], graph.tensors[graph.outputs[0]]
    given = quantize_real(values, scale=source.scale, zero_point=source.zero_point, dtype="int8")
    (integers,) = tflm_outputs(found.model, [given])
    real_values = (integers.astype(np.float64) - result.zero_point) * result.scale
    floats = graph_of(build_model(UNEVEN))
    wanted: AnyArray = np.stack([run_graph(floats, OPERATORS, {0: each})[0] for each in values])
    noise = np.square(real_values - wanted).sum()
    assert 10 * np.log10(np.square(wanted).sum() / noise) > 30


def test_a_gain_is_larger_than_its_spread() -> None:
    """Or the plain numbers stay, with the words for that."""
    for seed in range(4):
        report = quantized(DENSE, drawn(DENSE, count=24, seed=seed)).report
        is_plain = not report["steps"]
        assert (
            (report["gain_db"] == 0.0) if is_plain else report["gain_db"] > report["gain_spread_db"]
        )
        text = report_text(report)
        assert ("by plain min/max calibration" in text) == is_plain
        assert ("over 3 judges" in text) == (not is_plain)


def test_validation_is_one_more_judge() -> None:
    """Its figures are those of the model that is written."""
    others = Arrays("val.npz", drawn(DENSE, count=8, seed=9))
    found = quantized(UNEVEN, {"": images(24)}, validation=Arrays("v", {"": images(8, seed=9)}))
    assert found.report["judges"] == 4
    assert found.report["measured_on"] == {"data": "validation", "samples": 8}
    alone = quantized(DENSE, drawn(DENSE, count=2), validation=others)
    assert alone.report["judges"] == 1


def test_labels() -> None:
    """Accuracy of both models; labels are one whole number for each sample."""
    values, labels = drawn(DENSE, count=24)["x"], np.arange(24) % 7
    found = quantized(DENSE, {"x": values, "labels": labels})
    decisions = found.report["decisions"]
    assert decisions["samples"] == decisions["labelled"] == 24
    assert decisions["same"] >= 20
    floats = graph_of(build_model(DENSE))
    answers = [int(run_graph(floats, OPERATORS, {0: each})[0].argmax()) for each in values]
    assert decisions["right_in_float"] == sum(np.array(answers) == labels)
    text = report_text(found.report)
    assert f"decisions: {decisions['same']} of 24 are the float32 model's" in text
    for wrong in (labels[:-1], labels.astype(np.float32)):
        with pytest.raises(UsageError, match=r"'labels' is .*: the class of each sample"):
            quantized(DENSE, {"x": values, "labels": wrong})


def test_means_are_taken_out() -> None:
    """Of the signal and of the error: a constant error counts in the plain ratio alone."""
    graph = graph_of(quantized(DENSE, drawn(DENSE, count=24)).model)
    (output,) = graph.outputs
    samples = []
    for given in drawn(DENSE, count=8)["x"]:
        source = graph.tensors[graph.inputs[0]]
        value = quantize_real(given, scale=source.scale, zero_point=source.zero_point, dtype="int8")
        (integers,) = run_graph(graph, OPERATORS, {graph.inputs[0]: value})
        result = graph.tensors[output]
        exact = (integers.astype(np.float64) - result.zero_point) * result.scale
        values = {graph.inputs[0]: given, output: exact + 10.0}
        samples.append(Recorded(0, 0, {}, values, None))
    found = quality(graph, OPERATORS, samples, [(output, output)])
    assert found.sqnr < 1
    assert found.centred > 100
    assert found.centred <= BEST_DB
    assert found.decisions.same == 8
