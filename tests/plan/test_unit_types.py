"""Joins, parts and operands for each channel, of every type: in one stream, in place, and TFLM's
bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plan.test_bars import planned
from tests.plan.together import Variant, outputs_of
from tests.support.host import host
from tests.support.operator_cases import (
    file_of,
    graph_of,
    is_right,
    result_bytes,
    sample_bytes,
)
from tinyml_rules.compiler import Compiled, compile_model, select_program
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec
from tinyml_rules.ops._shared.cases.case import Case, int32s, random_case
from tinyml_rules.ops._shared.cases.pairs import tensor
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request

TYPES = ("int8", "int16", "int32", "float32")
IMAGE, FACTORS = (1, 6, 5, 4), (1, 1, 1, 4)


def network(dtype: str) -> ModelSpec:
    """An image less and times what is computed for each channel, beside a single channel; then the
    sum of two of its five channels."""
    shapes = {
        **{"image": IMAGE, "factors": FACTORS, "terms": FACTORS, "other": (1, 6, 5, 1)},
        **{"less": IMAGE, "times": IMAGE, "joined": (1, 6, 5, 5)},
        **{f"part_{place}": (1, 6, 5, 1) for place in range(5)},
        "sum": (1, 6, 5, 1),
    }
    tensors = [tensor(name, shape, dtype) for name, shape in shapes.items()]
    at = {name: place for place, name in enumerate(shapes)}
    tensors += [int32s("axis", 3)]
    parts = tuple(at[f"part_{place}"] for place in range(5))

    def node(name: str, *operands: str, result: str, **options: int) -> OperatorSpec:
        return OperatorSpec(name, tuple(at[each] for each in operands), (at[result],), options)

    operators = (
        node("SUB", "image", "terms", result="less"),
        node("MUL", "factors", "less", result="times"),
        node("CONCATENATION", "times", "other", result="joined", Axis=3),
        OperatorSpec("SPLIT", (len(tensors) - 1, at["joined"]), parts, {"NumSplits": 5}),
        node("ADD", "part_1", "part_4", result="sum"),
    )
    inputs = tuple(at[name] for name in ("image", "factors", "terms", "other"))
    return ModelSpec(tuple(tensors), operators, inputs, (at["sum"],))


def compiled(case: Case, name: str, mode: Mode) -> Compiled:
    return compile_model(
        Request(file_of(case), name, host(), schedule=mode, checked=True, arena=ArenaMode.STATIC)
    )


@pytest.mark.parametrize("dtype", TYPES)
def test_all_of_it_is_one_stream(dtype: str) -> None:
    report = compiled(random_case(network(dtype)), "net", Mode.STREAM).report
    assert [len(stream) for stream in report.streams] == [9]


def test_outputs_are_those_of_tflm(tmp_path: Path) -> None:
    """Layer by layer, as is best, and as a stream."""
    cases = {dtype: random_case(network(dtype)) for dtype in TYPES}
    found = {
        f"{dtype}_{mode}": (case, compiled(case, f"{dtype}_{mode}", mode))
        for dtype, case in cases.items()
        for mode in Mode
    }
    group = [
        Variant(each, len(case.samples[0]), sample_bytes(case, graph_of(case, name="net")), b"")
        for case, each in found.values()
    ]
    outputs = outputs_of(group, tmp_path)
    for name, (case, _) in found.items():
        graph = graph_of(case, name="net")
        assert is_right(case, result_bytes(case, graph, outputs[name])), name


@pytest.mark.parametrize("name", ["ADD", "SUB", "MUL"])
@pytest.mark.parametrize("dtype", TYPES)
def test_the_result_takes_the_place_of_the_image(name: str, dtype: str) -> None:
    """Whichever operand it is, where both are computed; the image and the factors are all there
    is."""
    for shapes in ((IMAGE, FACTORS), (FACTORS, IMAGE)):
        first, second = (
            tensor(each, shape, dtype) for each, shape in zip("ab", shapes, strict=True)
        )
        result = tensor("c", IMAGE, dtype)
        model = ModelSpec(
            (first, second, result), (OperatorSpec(name, (0, 1), (2,)),), (0, 1), (2,)
        )
        program = select_program(Request(file_of(random_case(model)), "net", host()))
        plan = planned(program, mode=Mode.LAYER)
        sizes = [program.graph.tensors[index].size_bytes for index in (0, 1)]
        assert plan.arena_bytes == sum(sizes)
