"""The networks of `./tinyml quantizer-survey` with weights that nobody trained; its figures."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace

import numpy as np
import pytest

from benchmarks.networks.__main__ import SEEDS, asked_of, measured
from benchmarks.networks.architecture import (
    Architecture,
    first_parameters,
    found_architectures,
)
from benchmarks.networks.figures import (
    FIGURES,
    rows_of_networks,
    summary_of,
    text_of,
    with_tensorflow,
)
from benchmarks.networks.in_file import spec_of
from benchmarks.networks.measure import Case, centred_sqnr
from tests.conftest import PROJECT
from tests.quantizer.runs import OPERATORS, graph_of
from tests.support.litert import litert_outputs
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops._shared.interpreter import run_graph

ARCHITECTURES = found_architectures()
ROWS = rows_of_networks((PROJECT / FIGURES).read_text(encoding="utf-8"))
MOST_BELOW = 0.3
"""In dB, below plain min/max and TensorFlow: a choice may lose so much on other samples."""
LOSSES = {("lstm", 1), ("tcn", 0), ("tcn", 1)}
"""Networks and seeds that lose more: corrected biases that all folds confirm, and ranges before
residual sums that TensorFlow takes wider."""
LEAST_MEAN = 1.0
"""Mean gain over plain min/max in dB."""
COUNT = 24


def untrained(architecture: Architecture) -> Case:
    """A case of first weights and normal inputs."""
    network, generator = architecture.network, np.random.default_rng(3)
    model = build_model(spec_of(network, first_parameters(network, 3)))
    calibration, unseen = (
        [
            generator.normal(0, 1, (COUNT, *shape)).astype(np.float32)
            for shape in architecture.shapes
        ]
        for _ in range(2)
    )
    return Case(model, calibration, unseen)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_files(name: str) -> None:
    """LiteRT runs each, and gets what the operators' float32 meanings get."""
    case = untrained(ARCHITECTURES[name])
    graph = graph_of(case.model)
    inputs = [values[:1] for values in case.unseen]
    values = dict(zip(graph.inputs, (each[0] for each in inputs), strict=True))
    run_graph(graph, OPERATORS, values)
    for index, expected in zip(graph.outputs, litert_outputs(case.model, inputs), strict=True):
        assert values[index] == pytest.approx(expected[0], abs=1e-4, rel=1e-4)


@pytest.mark.parametrize("name", ["two_inputs", "transformer"])
def test_measured(name: str) -> None:
    """What the verb does after training: TFLM's or LiteRT's outputs of both integer models."""
    architecture = ARCHITECTURES[name]
    row = measured(name, architecture, untrained(architecture), 3)
    assert (row.network, row.title, row.unseen) == (name, architecture.title, COUNT)
    assert all(5 < each < 60 for each in (row.plain, row.chosen))
    assert row.gain == row.chosen - row.plain


def test_centred() -> None:
    """A constant output and a constant error count for nothing; tenths of the signal are 20 dB."""
    wanted = np.random.default_rng(1).normal(3, 1, (50, 2, 4)).astype(np.float32)
    wanted[:, 1] = 100
    assert centred_sqnr(wanted, wanted.astype(np.float64) + 7) == math.inf
    found = wanted + (wanted - wanted.mean(axis=0)) / 10
    assert centred_sqnr(wanted, found) == pytest.approx(20, abs=1e-3)


def test_every_network_is_recorded() -> None:
    """For each seed; nothing else loses, the mean gains, and the file is as the verb writes it."""
    assert [(row.network, row.seed) for row in ROWS] == [
        (name, seed) for name in ARCHITECTURES for seed in SEEDS
    ]
    assert {(row.network, row.title, row.data) for row in ROWS} == {
        (name, each.title, each.of_data) for name, each in ARCHITECTURES.items()
    }
    assert {(row.network, row.seed) for row in ROWS if row.gain < -MOST_BELOW} <= LOSSES
    assert np.mean([row.chosen - row.plain for row in ROWS]) >= LEAST_MEAN
    assert text_of(ROWS) == (PROJECT / FIGURES).read_text(encoding="utf-8")


def test_figures() -> None:
    """A figure of TensorFlow belongs to its float model; the summary names the worst network."""
    first, second = (
        replace(ROWS[0], sha256=each, plain=20.0, chosen=22.0, tensorflow=None) for each in "ab"
    )
    known = [replace(first, tensorflow=23.0)]
    rows = with_tensorflow([first, second], known)
    assert [row.tensorflow for row in rows] == [23.0, None]
    assert [row.gain for row in rows] == [-1.0, 2.0]
    assert "+2.00 dB; least gain -1.00 dB" in summary_of(rows)
    assert rows_of_networks(json.dumps([asdict(row) for row in rows])) == rows


def test_words() -> None:
    """Networks and seeds are chosen by name; figures are recorded of all alone."""
    asked = asked_of(["networks=tcn,gru", "seed=4"], list(ARCHITECTURES))
    assert (asked.networks, asked.seeds, asked.is_recorded) == (("tcn", "gru"), (4,), False)
    assert asked_of(["docs=yes"], ["tcn"]).is_recorded


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["network=tcn"], "unknown 'network=tcn', expected networks, seed, docs and a value"),
        (["networks=vgg"], "unknown network 'vgg', expected some of gru, tcn"),
        (["seed=one"], "'seed' is 'one', expected whole numbers"),
        (["docs=yes", "seed=1"], "docs=yes and a part of the networks, expected docs=yes alone"),
    ],
)
def test_wrong_words(words: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        asked_of(words, ["gru", "tcn"])
