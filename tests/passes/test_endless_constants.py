"""NaN and infinity among the constants of a float model: one warning that names the tensor, and the
results of TFLM."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.stages import checked
from tests.support.tflm import tflm_outputs
from tinyml_rules.ir.graph import Graph
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import with_tensor
from tinyml_rules.ops._shared.cases.pairs import pair
from tinyml_rules.ops._shared.interpreter import run_graph
from tinyml_rules.passes.cautions import find_cautions

VALUES = {"NaN": np.nan, "infinity": np.inf, "minus infinity": -np.inf}
SHAPE = (1, 4, 6)


def with_value(value: float) -> ModelSpec:
    """A maximum with a constant, one of whose values is this one."""
    constant = np.ones(SHAPE, np.float32)
    constant[0, 2, 3] = value
    return with_tensor(pair("MAXIMUM", "float32"), 1, data=constant)


def graph_with(value: float) -> Graph:
    """The checked graph of it."""
    return checked(with_value(value))


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_warning(value: float) -> None:
    """The text and the hint."""
    (caution,) = find_cautions(graph_with(value), builtin_operators()).cautions
    assert str(caution) == (
        "model: node 0 (maximum): warning: constant tensor #1 'second' has values that are no "
        "finite numbers (1 of 24)\n  hint: its training ended in NaN or infinity: take the model "
        "from before that"
    )


def test_none_of_finite_numbers() -> None:
    """Even of the largest."""
    graph = graph_with(float(np.finfo(np.float32).max))
    assert not find_cautions(graph, builtin_operators()).cautions


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_results(value: float) -> None:
    """They are TFLM's."""
    sample = np.random.default_rng(1).normal(0, 9, SHAPE).astype(np.float32)
    graph = graph_with(value)
    (found,) = run_graph(graph, builtin_operators(), {graph.inputs[0]: sample})
    (expected,) = tflm_outputs(build_model(with_value(value)), [sample[np.newaxis]])
    np.testing.assert_array_equal(found, expected[0])
