"""Chains of maps become one table with TFLM's bytes, and end where a tensor is needed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support.stages import passed, selected
from tests.support.tflm import tflm_outputs
from tinyml_rules.ir.graph import Array, Graph
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, build_model
from tinyml_rules.ops._shared.cases.case import EVERY_INT8, quantized
from tinyml_rules.ops.logistic.cases import behind_quantize, logistic, then_quantize
from tinyml_rules.ops.relu.cases import island, relu, with_all_outputs
from tinyml_rules.passes.tabulate import WORTH_A_TABLE

CHAINS = {
    "one": logistic(scale=0.09, zero_point=-7),
    "then_quantize": then_quantize(scale=1 / 190, zero_point=-90),
    "behind_quantize": behind_quantize(scale=0.3, zero_point=90),
    "island_of_real_numbers": island(),
}


def table_of(graph: Graph) -> Array:
    """The values of the only node, a table, for all bytes from 0 to 255."""
    (node,) = graph.nodes
    assert node.op == "lookup"
    source, table = node.inputs
    assert source == graph.inputs[0]
    assert node.outputs == graph.outputs
    assert table is not None
    data = graph.tensors[table].data
    assert data is not None
    return data


def names(model: ModelSpec) -> list[str]:
    """The operators that run."""
    return [node.op for node in passed(model).nodes]


def fork(first: ModelSpec) -> ModelSpec:
    """The model with two RELU that read what its first operator writes, instead of all others."""
    (read,) = first.operators[0].outputs
    count = len(first.tensors)
    more = tuple(quantized(name, first.tensors[read].shape) for name in ("left", "right"))
    readers = tuple(OperatorSpec("RELU", (read,), (count + side,)) for side in (0, 1))
    return replace(
        first,
        tensors=(*first.tensors, *more),
        operators=(first.operators[0], *readers),
        outputs=(count, count + 1),
    )


@pytest.mark.parametrize("name", CHAINS)
def test_table(name: str) -> None:
    """One step, whose table is what TFLM makes of every value."""
    model = CHAINS[name]
    shape = model.tensors[model.inputs[0]].shape
    (expected,) = tflm_outputs(build_model(model), (EVERY_INT8.reshape(-1, *shape),))
    found = table_of(passed(model))
    assert found.dtype == np.int8
    # TFLM was asked from -128 to 127; bytes count 0 to 127, then -128 to -1
    np.testing.assert_array_equal(np.roll(found, 128), expected.reshape(-1))
    assert [step.kernel.name for step in selected(model).steps] == ["lookup"]


def test_tensor_that_is_an_output() -> None:
    """The caller reads it, so the chain ends there."""
    model = then_quantize(scale=0.005, zero_point=-100)
    assert names(replace(model, outputs=(1, 2))) == ["lookup", "quantize"]
    assert names(with_all_outputs(island())) == ["dequantize", "relu", "quantize"]


def test_tensor_that_is_read_twice() -> None:
    """Both readers need its values."""
    assert names(fork(logistic())) == ["lookup", "relu", "relu"]


def test_chain_behind_a_fork() -> None:
    """Each branch is a chain of its own."""
    model = fork(logistic())
    moved = quantized("moved", (1, 64), scale=0.7, zero_point=9)
    model = replace(
        model,
        tensors=(*model.tensors, moved),
        operators=(*model.operators, OperatorSpec("QUANTIZE", (3,), (4,), version=2)),
        outputs=(2, 4),
    )
    assert names(model) == ["lookup", "relu", "lookup"]


def test_a_kernel_stays_on_few_values() -> None:
    """A table of 256 bytes would be longer than what it saves."""
    assert names(relu((1, WORTH_A_TABLE - 1))) == ["relu"]
    assert names(relu((1, WORTH_A_TABLE))) == ["lookup"]
