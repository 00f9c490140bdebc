"""Constant and unused channels go, and every output stays the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.graphs.test_random_graphs import variants
from tests.plan.together import Variant, outputs_of, wrong_outputs
from tests.support.dead_channels import dead_network
from tests.support.families import axes
from tests.support.families.growing import Growing
from tests.support.host import host
from tests.support.operator_cases import (
    expected_bytes,
    file_of,
    oracle_bytes,
    result_bytes,
    sample_bytes,
)
from tests.support.stages import read
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Graph, Kept, Trimmed
from tinyml_rules.model_file.writer import TensorSpec, build_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import Case, random_case
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.passes import run_passes
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.ranges import ranges as ranges_module
from tinyml_rules.ranges.ranges import ranges
from tinyml_rules.reporting.tables import model_summary
from tinyml_rules.request.request import Request

SEED = 11
NETWORKS = 150
IN_C = 14
MANY = frozenset({Feature.REGISTERS_32})
FEATURES = (frozenset[Feature](), MANY, MANY | {Feature.MVE})


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    """Random networks with dead channels."""
    return {
        f"dead_{number}": random_case(dead_network((SEED, number), node_count=3 + number % 9))
        for number in range(NETWORKS)
    }


def graph_of(case: Case, features: frozenset[Feature] = frozenset()) -> Graph:
    """What the passes make of it for a target with the features."""
    return run_passes(read(file_of(case)), builtin_operators(), features)


def test_networks_have_all_kinds(cases: dict[str, Case]) -> None:
    """Channels of every kind go, and some stay for every reason but a bias at its limit."""
    gone: Counter[str] = Counter()
    for case in cases.values():
        for features in FEATURES:
            for each in graph_of(case, features).trimmed:
                gone.update({"constant": each.constant, "unused": each.unused})
                gone.update({kept.value: count for kept, count in each.kept})
    assert set(Kept) - {kind for kind, count in gone.items() if count} == {Kept.USED, Kept.BIAS}
    assert gone["constant"] > NETWORKS and gone["unused"] > 0


@pytest.mark.parametrize("features", FEATURES)
def test_meaning_stays(cases: dict[str, Case], features: frozenset[Feature]) -> None:
    """The operators' meanings in numpy give TFLM's bytes, whatever the size of a group is."""
    wrong = []
    for name, case in cases.items():
        graph = graph_of(case, features)
        if result_bytes(case, graph, oracle_bytes(case, graph)) != expected_bytes(case):
            wrong.append(name)
    assert wrong == []


def test_sums_stay(cases: dict[str, Case]) -> None:
    """What the pass knew of the sums of channels that are left holds of the graph without the
    others, worked out anew."""
    compared = 0
    for case in cases.values():
        graph = graph_of(case)
        for index, interval in ranges(graph, builtin_operators()).items():
            if interval.sums is not None:
                least, most = interval.sums
                assert graph.known.sums[index] == (least.min(), most.max())
                compared += bool(graph.trimmed)
    assert compared > NETWORKS


def test_what_is_too_large_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is known of the values of such a node, so that its constant channels stay."""
    monkeypatch.setattr(ranges_module, "MOST_MACS", 2500)
    report = compile_model(Request(build_model(network().model()), "large", host())).report
    assert report.too_large_to_follow == (0, 1)
    assert [node.sums for node in report.nodes] == [None, None]
    assert [node.constant for node in report.trimmed] == [0]  # its unused one goes
    line = "  constant channels not looked for at nodes 0, 1: too large"
    assert line in model_summary(report).splitlines()


def test_c(cases: dict[str, Case], tmp_path: Path) -> None:
    """The C gives TFLM's bytes under sanitizers in every schedule, checked builds among them."""
    assert wrong_in_c(dict([*cases.items()][:IN_C]), tmp_path) == []


def wrong_in_c(cases: dict[str, Case], folder: Path) -> list[str]:
    """The networks, by name and schedule, with other bytes: all of them in one program."""
    made = [
        (case, variant)
        for number, (name, case) in enumerate(cases.items())
        for variant in variants(number, name, case)
    ]
    outputs = outputs_of([variant for _, variant in made], folder)
    return [
        variant.name
        for case, variant in made
        if result_bytes(case, graph_of(case), outputs[variant.name]) != expected_bytes(case)
    ]


def network(
    *,
    padding: Padding = Padding.VALID,
    constant: int = 11,
    unused: int = 3,
    is_added: bool = False,
    between: Sequence[tuple[str, npt.ArrayLike]] = (),
) -> Growing:
    """Two convolutions of eight channels, the first without weights for channel 1, which is
    `constant` where its zero point is 11, the second without weights for channel `unused`."""
    graph = Growing(np.random.default_rng(5))
    first = graph.input(graph.quantized((1, 5, 5, 3), 0.25, -3))
    second = last = _convolution(graph, first, outputs=8, padding=Padding.SAME)
    _of(graph, 1)[1] = 0
    _of(graph, 2)[1] = round((constant - 11) * 0.25 / graph.tensors[2].scales[1])
    if is_added:
        like = graph.activation((1, 5, 5, 8), like=second)
        graph.node("ADD", [second, second], like)
    for name, operand in between:
        last = _moving(graph, last, name, operand)
    _convolution(graph, last, outputs=4, padding=padding)
    _of(graph, graph.operators[-1].inputs[1])[..., unused] = 0
    return graph


def _moving(graph: Growing, source: int, name: str, operand: npt.ArrayLike) -> int:
    """A border of so many cells, or a reduction over these axes."""
    shape, numbers = graph.shape(source), np.array(operand)
    if name == "PAD":
        result = graph.activation(tuple(shape + numbers.sum(axis=1)), like=source)
        return graph.node(name, [source, graph.numbers(numbers)], result)
    sizes = tuple(1 if axis in numbers else size for axis, size in enumerate(shape))
    result = graph.activation(sizes, like=source)
    return graph.node(name, [source, graph.numbers(numbers)], result, KeepDims=True)


def _of(graph: Growing, index: int) -> npt.NDArray[Any]:
    data = graph.tensors[index].data
    assert isinstance(data, np.ndarray)
    return data


def _convolution(graph: Growing, source: int, *, outputs: int, padding: Padding) -> int:
    """Of 3 times 3 cells, with a zero point of 11."""
    _, height, width, channels = graph.shape(source)
    sizes = (height, width) if padding is Padding.SAME else (height - 2, width - 2)
    result = graph.quantized((1, *sizes, outputs), 0.25, 11)
    scales = (0.004,) * outputs
    zeros = (0,) * outputs
    shape = (outputs, 3, 3, channels)
    spec = TensorSpec("", shape, scales=scales, zero_points=zeros)
    matrix = graph.constant(spec, low=1)
    of_sums = tuple(0.25 * each for each in scales)
    bias = np.zeros(outputs, np.int32)
    spec = TensorSpec("", (outputs,), "int32", scales=of_sums, zero_points=zeros, data=bias)
    return graph.node(
        "CONV_2D",
        [source, matrix, graph.tensor(spec)],
        result,
        Padding=padding,
        StrideH=1,
        StrideW=1,
    )


def first_of(graph: Graph) -> Trimmed | None:
    """What is told of the first node."""
    return next((each for each in graph.trimmed if each.node == 0), None)


BORDER = ("PAD", [(0, 0), (1, 2), (1, 0), (0, 0)])
MEAN, WIDEST = ("MEAN", (1, 2)), ("REDUCE_MAX", (2,))
SAME = {"padding": Padding.SAME}


@pytest.mark.parametrize(
    ("changes", "features", "constant", "unused", "kept"),
    [
        (SAME | {"between": [BORDER, MEAN]}, FEATURES[0], 1, 1, {}),
        (
            SAME | {"between": [BORDER, MEAN], "constant": -20},
            *(FEATURES[0], 0, 1, {Kept.TIED: 1}),
        ),
        # REDUCE_MAX tells no interval
        (SAME | {"between": [BORDER, WIDEST]}, FEATURES[0], 0, 1, {Kept.TIED: 1}),
        (SAME | {"between": [MEAN], "constant": -20}, FEATURES[0], 0, 1, {Kept.TIED: 1}),
        (
            {"between": [("PAD", [(0, 0), (0, 0), (0, 0), (1, 0)])], "unused": 4},
            *(FEATURES[0], 0, 0, {Kept.READER: 1}),
        ),
        ({}, FEATURES[0], 1, 1, {}),
        ({"constant": -20}, FEATURES[0], 1, 1, {}),
        ({"padding": Padding.SAME}, FEATURES[0], 1, 1, {}),
        ({"padding": Padding.SAME, "constant": -20}, FEATURES[0], 0, 1, {Kept.EDGE: 1}),
        ({"is_added": True}, FEATURES[0], 0, 0, {Kept.READER: 1}),
        ({"unused": 1}, FEATURES[0], 1, 0, {}),
        ({}, FEATURES[1], 0, 0, {Kept.GROUP: 2}),
        ({}, FEATURES[1] | {Feature.EXTERNAL_WEIGHTS}, 1, 1, {}),
    ],
)
def test_reasons(
    changes: dict[str, Any],
    features: frozenset[Feature],
    constant: int,
    unused: int,
    kept: dict[Kept, int],
) -> None:
    """What goes of eight channels, one of which is constant and one unused, and why others stay."""
    case = random_case(network(**changes).model())
    graph = graph_of(case, features)
    found = first_of(graph)
    assert found is not None
    assert (found.constant, found.unused, dict(found.kept)) == (constant, unused, kept)
    source = graph.tensors[graph.nodes[0].outputs[0]]
    assert source.shape[-1] == 8 - constant - unused
    assert result_bytes(case, graph, oracle_bytes(case, graph)) == expected_bytes(case)


def test_bias_at_its_limit() -> None:
    """A constant whose part of a sum leaves int32 stays, because a bias could not hold it."""
    growing = network(constant=-20)
    _of(growing, growing.operators[-1].inputs[2])[:] = -(2**31) + 100
    graph = graph_of(random_case(growing.model()))
    found = first_of(graph)
    assert found is not None and (Kept.BIAS, 1) in found.kept


@pytest.mark.parametrize("bias", [0, 2**24, -(2**24)])
def test_constant_model(bias: int, tmp_path: Path) -> None:
    """Weights that are all 0, and outputs that always saturate: no layer is left, and the C of what
    is gives TFLM's bytes."""
    growing = network()
    for operator in growing.operators:
        _of(growing, operator.inputs[1])[:] = 0
        _of(growing, operator.inputs[2])[:] = bias
    case = random_case(growing.model())
    graph = graph_of(case)
    assert graph.nodes == ()
    assert [(each.node, each.constant) for each in graph.trimmed] == [(0, 8), (1, 4)]
    variants = [
        Variant(
            compile_model(Request(file_of(case), f"m{mode}", host(), schedule=mode)),
            len(case.samples[0]),
            sample_bytes(case, graph),
            expected_bytes(case),
        )
        for mode in (Mode.LAYER, Mode.STREAM)
    ]
    assert wrong_outputs(variants, tmp_path) == []


@pytest.mark.parametrize(("bits", "per_axis"), [(8, True), (8, False), (4, False)])
def test_one_channel_is_left(bits: int, *, per_axis: bool) -> None:
    """Weights of one scale an output keep that of the one that stays."""
    values = np.zeros((5, 3), int)
    values[3] = (1, -7, 5)
    case = random_case(dense((1, 3), (1, 5), values=values, bits=bits, is_per_axis=per_axis))
    wide = Growing(np.random.default_rng(1))
    wide.tensors = [
        replace(each, name=f"t{place}") for place, each in enumerate(case.model.tensors)
    ]
    wide.operators, wide.inputs = [*case.model.operators], [*case.model.inputs]
    wide.values = [3]
    axes.dense(wide, "FULLY_CONNECTED", 3)
    behind = random_case(wide.model())
    graph = graph_of(behind)
    assert graph.tensors[3].shape == (1, 1)
    assert result_bytes(behind, graph, oracle_bytes(behind, graph)) == expected_bytes(behind)
