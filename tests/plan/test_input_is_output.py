"""Outputs that are the model's input, or its bytes under another shape."""

from __future__ import annotations

import pytest

from tests.support.host import host
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request

INPUT, POOLED, VIEW, POOLED_VIEW = range(4)


def pooled(*outputs: int) -> bytes:
    """A pool over four rows at a time of 64; a view of its input, and one of its result."""
    shapes = {"in": (1, 64, 4, 1), "pooled": (1, 16, 1, 1), "view": (1, 256), "flat": (1, 16)}
    tensors = tuple(
        TensorSpec(name, shape, scales=(0.5,), zero_points=(0,)) for name, shape in shapes.items()
    )
    window = {"Padding": 1, "StrideH": 4, "StrideW": 4, "FilterHeight": 4, "FilterWidth": 4}
    operators = (
        OperatorSpec("MAX_POOL_2D", (INPUT,), (POOLED,), window),
        OperatorSpec("RESHAPE", (INPUT,), (VIEW,), options_table=""),
        OperatorSpec("RESHAPE", (POOLED,), (POOLED_VIEW,), options_table=""),
    )
    return build_model(ModelSpec(tensors, operators, (INPUT,), outputs))


def compiled_bytes(*outputs: int, mode: Mode, is_pushed: bool) -> int:
    """The arena of the model with those outputs, its plan proved."""
    model = pooled(*outputs)
    request = Request(model, "pooled", host(), schedule=mode, push_rows=is_pushed)
    arena_bytes: int = compile_model(request).report.arena_bytes
    return arena_bytes


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize(
    ("outputs", "culprit"),
    [
        ((POOLED, INPUT), "#0 'in'"),
        ((POOLED, VIEW), "#2 'view'"),
        ((VIEW, POOLED), "#2 'view'"),
        ((POOLED, POOLED_VIEW, VIEW), "#2 'view'"),
    ],
)
def test_rows_cannot_be_pushed(outputs: tuple[int, ...], culprit: str, mode: Mode) -> None:
    """Four of the input's 64 rows would be left for the caller, and bytes behind the arena."""
    with pytest.raises(UnsupportedError) as caught:
        compiled_bytes(*outputs, mode=mode, is_pushed=True)
    assert str(caught.value) == (
        f"pooled: error: output tensor {culprit} is the input's own bytes, of which only a few "
        "rows are kept when rows are pushed\n"
        "  hint: without pushed rows the whole input is kept"
    )


@pytest.mark.parametrize("mode", list(Mode))
def test_input_stays_for_the_caller(mode: Mode) -> None:
    """Filled whole, it is kept beside the result; one of the two alone shares its bytes."""
    for outputs in ((POOLED, INPUT), (POOLED, VIEW), (INPUT, POOLED, VIEW, POOLED_VIEW)):
        assert compiled_bytes(*outputs, mode=mode, is_pushed=False) == 256 + 16
    assert compiled_bytes(VIEW, mode=mode, is_pushed=False) == 256


@pytest.mark.parametrize("mode", list(Mode))
def test_view_of_a_result_can_be_pushed(mode: Mode) -> None:
    """The result is whole, under whichever shape it is asked for; two counters of rows are kept."""
    for outputs in ((POOLED_VIEW,), (POOLED, POOLED_VIEW)):
        assert compiled_bytes(*outputs, mode=mode, is_pushed=True) == 4 * 4 + 16 + 2 * 4
