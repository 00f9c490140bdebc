"""Copies of a whole image become a kernel that works row by row, where each row is made of rows."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.host import program_of
from tinyml_rules.ir.program import Form
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.index_steps import IndexSteps, steps_through
from tinyml_rules.ops.pad.cases import pad
from tinyml_rules.ops.strided_slice.cases import strided_slice
from tinyml_rules.ops.transpose.cases import transpose

IMAGE = (1, 5, 4, 3)
COLUMNS = ((0, 0), (0, 0), (1, 2), (0, 0))
BY_ROWS = {
    "columns_around": pad(IMAGE, COLUMNS),
    "all_around": pad(IMAGE, ((0, 0), (2, 1), (1, 2), (0, 0))),
    "every_second": strided_slice(
        IMAGE, (0, 1, 0, 0), (1, 5, 4, 3), (1, 2, 2, 1), result=(1, 2, 2, 3)
    ),
    "some_channels": strided_slice(
        IMAGE, (0, 0, 0, 1), (1, 5, 4, 3), (1, 1, 1, 1), result=(1, 5, 4, 2)
    ),
}
WHOLE = {
    "channels_around": pad(IMAGE, ((0, 0), (0, 0), (0, 0), (1, 0))),
    "batches": pad((2, 5, 4, 3), COLUMNS),
    "of_int16": pad(IMAGE, COLUMNS, dtype="int16"),
    "matrix": pad((5, 4), ((0, 0), (1, 2))),
    "columns_to_rows": transpose(IMAGE, (0, 2, 1, 3)),
}


def forms(model: ModelSpec) -> set[Form]:
    """Those of all kernels."""
    return {step.kernel.form for step in program_of(build_model(model)).steps}


@pytest.mark.parametrize("name", BY_ROWS)
def test_by_rows(name: str) -> None:
    program = program_of(build_model(BY_ROWS[name]))
    (step,) = program.steps
    assert step.kernel.form in (Form.WINDOW, Form.POINTWISE)


@pytest.mark.parametrize("name", WHOLE)
def test_as_a_whole(name: str) -> None:
    assert forms(WHOLE[name]) == {Form.WHOLE}


@pytest.mark.parametrize(
    "steps", [IndexSteps(1, 0, 1), IndexSteps(3, -2, 1), IndexSteps(1, 2, 3), IndexSteps(5, 1, 7)]
)
def test_steps_are_found(steps: IndexSteps) -> None:
    indices = np.arange(3, 40)
    found = steps_through(indices, steps.of(indices), most=64)
    assert found is not None and found.divisor <= steps.divisor
    assert np.array_equal(found.of(indices), steps.of(indices))


@pytest.mark.parametrize("others", [(3, 2, 1, 0), (0, 1, 1, 2, 5), (0, 0, 0, 1, 0)])
def test_steps_that_are_not_even(others: tuple[int, ...]) -> None:
    assert steps_through(np.arange(len(others)), np.array(others), most=64) is None
