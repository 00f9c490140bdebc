"""Chains of maps become one table with TFLM's bytes, and end where a tensor is needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.combined import Job, run_combined
from tests.support.host import host
from tests.support.operator_cases import expected_bytes, graph_of, oracle_bytes, sample_bytes
from tests.support.stages import passed, read, selected
from tests.support.tflm import tflm_outputs
from tinyml_rules.ir.graph import Array, Graph, NodeView
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, build_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import EVERY_INT8, constant, quantized, random_case, typed
from tinyml_rules.ops._shared.cases.real_maps import island
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.logical_not.cases import logical_not
from tinyml_rules.ops.logistic.cases import behind_quantize, logistic, then_quantize
from tinyml_rules.ops.quantize.cases import requantize
from tinyml_rules.ops.relu.cases import island as relu_island
from tinyml_rules.ops.relu.cases import relu, with_all_outputs
from tinyml_rules.passes import run_passes
from tinyml_rules.passes.tabulate import WORTH_A_TABLE
from tinyml_rules.plan.schedule import Mode, schedule

CHAINS = {
    "one": logistic(scale=0.09, zero_point=-7),
    "then_quantize": then_quantize(scale=1 / 190, zero_point=-90),
    "behind_quantize": behind_quantize(scale=0.3, zero_point=90),
    "island_of_real_numbers": relu_island(),
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
    assert names(with_all_outputs(relu_island())) == ["dequantize", "relu", "quantize"]


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


def test_islands_that_share_their_beginning() -> None:
    """Each is a table of its own, and the conversion has no reader left."""
    model = island("ELU")
    tensors = (typed("negative", (1, 64), "float32"), quantized("other", (1, 64), scale=0.2))
    operators = (OperatorSpec("NEG", (1,), (4,)), OperatorSpec("QUANTIZE", (4,), (5,)))
    model = replace(
        model,
        tensors=(*model.tensors, *tensors),
        operators=(*model.operators, *operators),
        outputs=(3, 5),
    )
    assert names(model) == ["lookup", "lookup"]
    expected = tflm_outputs(build_model(model), (EVERY_INT8.reshape(4, 1, 64),))
    for node, values in zip(passed(model).nodes, expected, strict=True):
        found = NodeView(passed(model), node).input(1).data
        assert found is not None
        np.testing.assert_array_equal(np.roll(found, 128), values.reshape(-1))


def test_what_is_read_by_a_kernel_stays() -> None:
    """The conversion before an island, where real numbers are needed too."""
    model = island("ELU")
    operators = (*model.operators, OperatorSpec("RELU", (1,), (4,)))
    tensors = (*model.tensors, typed("positive", (1, 64), "float32"))
    model = replace(model, tensors=tensors, operators=operators, outputs=(3, 4))
    assert names(model) == ["dequantize", "lookup", "relu"]


def test_flipped_bits() -> None:
    """int8 as uint8 and back, and NOT, have no table."""
    for model in (
        requantize((0.5, 0.5), zero_points=(3, 131), dtypes=("int8", "uint8")),
        requantize((0.5, 0.5), zero_points=(131, 3), dtypes=("uint8", "int8")),
        logical_not(),
    ):
        (step,) = selected(model).steps
        assert step.kernel.name == "flip"
        assert step.constant_bytes == 0


def test_a_table_that_changes_nothing() -> None:
    """It is gone, but where it writes the model's output."""
    model = behind_quantize(scale=0.07, zero_point=9)
    source, *rest = model.tensors
    alike = replace(rest[-1], name="alike", scales=source.scales, zero_points=source.zero_points)
    model = replace(model, tensors=(source, *rest[:-1], alike), outputs=(1, 2))
    graph = passed(model)
    assert [node.op for node in graph.nodes] == ["lookup", "lookup"]
    assert {node.inputs[0] for node in graph.nodes} == {0}


def test_a_table_that_only_adds_dimensions() -> None:
    """It stays: its reader counts them."""
    lowest = constant("lowest", [[-128]], scales=(0.5,))
    source, more = quantized("source", (5,)), quantized("more", (1, 5))
    model = ModelSpec(
        (source, lowest, more, quantized("twice", (1, 10))),
        (
            OperatorSpec("MAXIMUM", (0, 1), (2,)),
            OperatorSpec("CONCATENATION", (2, 2), (3,), {"Axis": 1}),
        ),
        inputs=(0,),
        outputs=(3,),
    )
    assert names(model) == ["lookup", "concatenation"]
    case = random_case(model)
    assert oracle_bytes(case, graph_of(case, name="model")) == expected_bytes(case)


def unsigned_ends() -> ModelSpec:
    """What a converter that is asked for uint8 makes of an int8 model: padding, a convolution, and
    fully connected values."""
    first = conv((1, 8, 8, 2), (3, 3), outputs=4)
    count = len(first.tensors)
    source, result = first.tensors[first.inputs[0]], first.tensors[first.outputs[0]]
    ends = tuple(
        replace(each, name=f"{name} as uint8", dtype="uint8", zero_points=(zero_point + 128,))
        for name, each in (("input", source), ("output", result))
        for zero_point in each.zero_points
    )
    operators = (
        OperatorSpec("QUANTIZE", (count,), first.inputs),
        *first.operators,
        OperatorSpec("QUANTIZE", first.outputs, (count + 1,)),
    )
    return replace(
        first,
        tensors=(*first.tensors, *ends),
        operators=operators,
        inputs=(count,),
        outputs=(count + 1,),
    )


def test_unsigned_ends(tmp_path: Path) -> None:
    """Bits are flipped, row by row with what comes between."""
    model = unsigned_ends()
    program = selected(model)
    assert [step.kernel.name for step in program.steps][::2] == ["flip", "flip"]
    assert names(model) == ["lookup", "conv_2d", "lookup"]
    (task,) = schedule(program, mode=Mode.STREAM).tasks
    assert task.is_streamed
    case = random_case(model)
    graph = graph_of(case, name="model")
    samples = sample_bytes(case, graph)
    assert oracle_bytes(case, graph) == expected_bytes(case)
    found = run_combined(host(), [Job("model", build_model(model), samples)], folder=tmp_path)
    assert found["model"] == expected_bytes(case)


def test_a_kernel_stays_on_few_values() -> None:
    """A table of 256 bytes would be longer than what it saves."""
    assert names(relu((1, WORTH_A_TABLE - 1))) == ["relu"]
    assert names(relu((1, WORTH_A_TABLE))) == ["lookup"]


def test_table_by_an_oracle_of_its_own() -> None:
    """Where a meaning has one for tables, they have its values, and the kernel's oracle is for all
    else."""

    def doubled(view: NodeView, values: Mapping[int, Array]) -> Array:
        return 2 * np.maximum(values[view["input"].index], np.float32(0))

    known = builtin_operators()
    relu_op = known["relu"]
    meanings = tuple(replace(each, table_oracle=doubled) for each in relu_op.meanings)
    operators = Operators.of([*known.values(), replace(relu_op, meanings=meanings)])
    model = relu_island()
    plain = table_of(passed(model)).astype(np.int64)
    graph = run_passes(read(model), operators)
    scale, zero_point = model.tensors[1].scales[0], model.tensors[1].zero_points[0]
    reals = np.maximum(np.arange(-128, 128) - model.tensors[0].zero_points[0], 0)
    expected = np.round(2 * reals * model.tensors[0].scales[0] / scale) + zero_point
    found = np.roll(table_of(graph), 128).astype(np.int64)
    assert np.abs(found - np.clip(expected, -128, 127)).max() <= 1
    assert not np.array_equal(found, np.roll(plain, 128))
    view = NodeView(read(model), read(model).nodes[1])
    (kept,) = operators["relu"].evaluate(view, {2: np.full((1, 64), 3, np.float32)})
    assert np.all(kept == 3)
