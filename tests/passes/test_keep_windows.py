"""Windows over time that converters write as variables are one buffer, where nobody can tell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.hand_written import target_or_skip
from tests.support.host import program_of
from tests.support.stages import passed, selected
from tests.support.tflm import AnyArray, tflm_outputs
from tests.support.wake_word import OKAY_NABU, SMALL, frames, wake_word
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import int32s, quantized
from tinyml_rules.ops._shared.interpreter import first_values, run_graph
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.plan.verify import verify_plan
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import run_model

COUNT = 200
WHOLE = replace(SMALL, keeps_whole=True, value=5)
LAYERS = {"small": SMALL, "whole": WHOLE, "okay_nabu": OKAY_NABU}
MOVES = ("read_variable", "assign_variable", "concatenation", "strided_slice", "split_v")


def rows(count: int, name: str = "rows") -> TensorSpec:
    """An image of rows of two channels."""
    return quantized(name, (1, count, 1, 2))


def window(
    *,
    first: int = 1,
    order: tuple[int, int] = (2, 1),
    outputs: tuple[int, ...] = (6,),
    more: tuple[OperatorSpec, ...] = (),
    values: tuple[int, ...] | None = None,
) -> ModelSpec:
    """Three rows and one more, of which three from the `first` on are kept; `values` are those that
    CALL_ONCE assigns."""
    tensors = (
        TensorSpec("handle", (), "resource"),
        *(rows(1, "new"), rows(3, "past"), rows(4, "joined"), rows(3, "kept")),
        *(
            int32s("begin", (0, first, 0, 0)),
            rows(4, "result"),
            int32s("end", (0, first + 3, 0, 0)),
        ),
        *(int32s("steps", (1, 1, 1, 1)), rows(3, "other")),
    )
    named = OperatorSpec("VAR_HANDLE", (), (0,), {"Container": "", "SharedName": "past"})
    operators = (
        *(() if values is None else (OperatorSpec("CALL_ONCE", (), (), {"InitSubgraphIndex": 1}),)),
        named,
        OperatorSpec("READ_VARIABLE", (0,), (2,)),
        OperatorSpec("CONCATENATION", order, (3,), {"Axis": 1}),
        OperatorSpec("STRIDED_SLICE", (3, 5, 7, 8), (4,), {"BeginMask": 13, "EndMask": 13}),
        OperatorSpec("ADD", (3, 3), (6,)),
        *more,
        OperatorSpec("ASSIGN_VARIABLE", (0, 4), ()),
    )
    others: tuple[ModelSpec, ...] = ()
    if values is not None:
        data = np.array(values, np.int8).reshape(1, 3, 1, 2)
        assign = OperatorSpec("ASSIGN_VARIABLE", (0, 1), ())
        others = (ModelSpec((tensors[0], replace(rows(3), data=data)), (named, assign), (), ()),)
    return ModelSpec(tensors, operators, (1,), outputs, others=others)


KEPT = {
    "window": window(),
    "values": window(values=(1, 2, 3, 4, 5, 6)),
    "one_value": window(values=(7,) * 6),
}
LEFT = {
    "joined_is_an_output": window(outputs=(6, 3)),
    "in_front": window(order=(1, 2)),
    "first_rows": window(first=0),
    "past_is_an_output": window(outputs=(6, 2)),
    "kept_is_an_output": window(outputs=(6, 4)),
    "read_twice": window(more=(OperatorSpec("READ_VARIABLE", (0,), (9,)),), outputs=(6, 9)),
}


@pytest.mark.parametrize("name", [*KEPT, *LEFT])
def test_small_windows(name: str, tmp_path: Path) -> None:
    """In sequence those of TFLM, in a build in which every dead byte is overwritten."""
    model = {**KEPT, **LEFT}[name]
    nodes = [node.op for node in passed(model).nodes]
    assert nodes == ["shift_in", "add"] if name in KEPT else "assign_variable" in nodes
    samples = np.arange(-9, 9, dtype=np.int8).reshape(9, 1, 1, 1, 2)
    _assert_equals_tflm(build_model(model), samples, "host", tmp_path, checked=True)


@pytest.mark.parametrize("name", KEPT)
def test_in_numpy(name: str) -> None:
    """The oracle of the node that shifts gives the same."""
    data = build_model(KEPT[name])
    graph, samples = passed(data), np.arange(-9, 9, dtype=np.int8).reshape(9, 1, 1, 1, 2)
    values = first_values(graph)
    found: list[AnyArray] = []
    for sample in samples:
        values[graph.inputs[0]] = sample
        found += run_graph(graph, builtin_operators(), values)
    (expected,) = tflm_outputs(data, [samples], is_sequence=True)
    assert np.array_equal(np.stack(found), expected)


def test_first_values_of_one_kind_are_no_table() -> None:
    """They are a fill."""
    tables = {
        name: sum(step.constant_bytes for step in selected(KEPT[name]).resets)
        for name in ("values", "one_value")
    }
    assert tables["values"] - tables["one_value"] == 7
    last = passed(KEPT["values"]).tensors[3].initial
    assert last is not None
    assert last.reshape(-1).tolist()[2:] == [1, 2, 3, 4, 5, 6]


def _assert_equals_tflm(
    data: bytes, samples: AnyArray, part: str, folder: Path, *, checked: bool = False
) -> None:
    target = target_or_skip(part)
    compiled = compile_model(Request(data, "model", target, checked=checked))
    outcome = run_model(compiled, target, samples.tobytes(), folder=folder)
    outputs = tflm_outputs(data, [samples], is_sequence=True)
    expected = np.concatenate([each.reshape(len(samples), -1) for each in outputs], axis=1)
    assert outcome.output == expected.tobytes()


@pytest.mark.parametrize("name", LAYERS)
def test_nothing_is_moved(name: str) -> None:
    """A node for each window, and none that reads, joins, cuts or splits."""
    layers = LAYERS[name]
    nodes = [node.op for node in passed(wake_word(layers)).nodes]
    assert nodes.count("shift_in") == len(layers.blocks) + 2
    assert nodes.count("depthwise_conv_2d") == len(layers.blocks)
    assert not set(nodes).intersection(MOVES)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        *((name, part) for name in ("small", "whole") for part in ("host", "nrf51", "esp8266")),
        *(("okay_nabu", part) for part in ("host", "nrf52840", "nrf51", "atmega1284p")),
    ],
)
def test_frames(name: str, part: str, tmp_path: Path) -> None:
    """200 in sequence, more than any window holds; on the host every dead byte is overwritten."""
    model = build_model(wake_word(LAYERS[name]))
    samples = frames(COUNT)
    assert len(np.unique(tflm_outputs(model, [samples], is_sequence=True)[0])) > 50
    _assert_equals_tflm(model, samples, part, tmp_path, checked=part == "host")


def test_proof() -> None:
    """A plan in which anything is in the bytes of a window is refused."""
    program = program_of(build_model(wake_word(SMALL)))
    steps = schedule(program, mode=Mode.AUTO)
    plan = place(steps, lifetimes(steps))
    verify_plan(steps, plan)
    others = [each.tensor for each in plan.lifetimes if each.tensor not in program.variables]
    pairs = [(window, other) for window in program.variables for other in others]
    assert len(pairs) > 20
    for window, other in pairs:
        offsets = {**plan.offsets, other: plan.offsets[window]}
        with pytest.raises(AssertionError, match="overwritten"):
            verify_plan(steps, replace(plan, offsets=offsets))


def test_bars(tmp_path: Path) -> None:
    """What a model with the layers of the public one takes of a Cortex-M4."""
    target = target_or_skip("nrf52840")
    compiled = compile_model(Request(build_model(wake_word()), "model", target))
    assert compiled.report.arena_bytes <= 4_112  # with scratch memory
    report = run_model(compiled, target, frames(3).tobytes(), folder=tmp_path).report
    assert report.build is not None
    assert report.build.ram_bytes <= 4_500
    assert report.run is not None
    assert report.run.instructions is not None
    assert report.run.instructions <= 41_800
