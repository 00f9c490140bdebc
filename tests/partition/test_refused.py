"""What has no core of integers, or no whole tensors, is refused with all that stands in the way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.partition.models import DOUBLE, SHAPE, real, with_float_ends
from tests.support.host import host
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import UnsupportedError, UsageError
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, build_model
from tinyml_rules.ops._shared.cases.case import quantized
from tinyml_rules.request.request import Request

HINT = (
    "quantize these operators as well, with full-integer int8 quantization; or compile without "
    "partition, which runs them in real numbers; docs/how-to/partition.md"
)


def refused(model: ModelSpec, **options: object) -> list[tuple[str, str, str]]:
    """(where, what, hint) of each problem."""
    request = Request(build_model(model), "model", host(), partition=True)
    with pytest.raises(UsageError if options else UnsupportedError) as caught:
        compile_model(replace(request, **options))  # type: ignore[arg-type]
    return [(each.where, each.what, each.hint) for each in caught.value.problems]


def expected(node: str, tensor: str, hint: str = "") -> tuple[str, str, str]:
    what = f"tensor {tensor} is float32, and partition expects a core of integers"
    return f"model: node {node}", what, hint


def test_float_model() -> None:
    """Every node, in order."""
    model = ModelSpec(
        (real("a"), real("b"), real("c")),
        (OperatorSpec("RELU", (0,), (1,)), OperatorSpec("ADD", (1, 1), (2,))),
        (0,),
        (2,),
    )
    assert refused(model) == [expected("0 (relu)", "#0 'a'"), expected("1 (add)", "#1 'b'", HINT)]


def test_island_that_is_no_table() -> None:
    """The sum of two real numbers is of two values; its conversions compute in real numbers too."""
    names = ("x", "y", "sum")
    model = ModelSpec(
        (*(quantized(name, SHAPE) for name in names), *(real(f"real {name}") for name in names)),
        (
            OperatorSpec("DEQUANTIZE", (0,), (3,)),
            OperatorSpec("DEQUANTIZE", (1,), (4,)),
            OperatorSpec("ADD", (3, 4), (5,)),
            OperatorSpec("QUANTIZE", (5,), (2,)),
        ),
        (0, 1),
        (2,),
    )
    assert refused(model) == [
        expected("0 (dequantize)", "#3 'real x'"),
        expected("1 (dequantize)", "#4 'real y'"),
        expected("2 (add)", "#3 'real x'"),
        expected("3 (quantize)", "#5 'real sum'", HINT),
    ]


def test_input_that_two_nodes_convert() -> None:
    """Neither conversion is at the end alone."""
    model = with_float_ends(DOUBLE)
    second = replace(model.tensors[0], name="second")
    model = replace(
        model,
        tensors=(*model.tensors, second),
        operators=(*model.operators, OperatorSpec("QUANTIZE", (2,), (4,))),
        outputs=(3, 4),
    )
    assert refused(model) == [
        expected("0 (quantize)", "#2 'real_2'"),
        expected("3 (quantize)", "#2 'real_2'", HINT),
    ]


def test_pushed_rows() -> None:
    assert refused(with_float_ends(DOUBLE), push_rows=True) == [
        (
            "model",
            "partition, which takes whole tensors, and push_rows exclude each other, expected "
            "one of them",
            "with push_rows, convert each row by the header's function for one value",
        )
    ]
