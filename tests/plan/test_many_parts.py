"""A join of as many tensors as a broken or strange file may have, and a split into as many: the
kernel of units has no parameter for each, so that they are copied, and the bytes are right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.plan.chains import Chain
from tests.support.host import host, program_of, run_on_host
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.program import Form
from tinyml_rules.model_file.writer import OperatorSpec, build_model
from tinyml_rules.ops._shared.cases.case import int32s
from tinyml_rules.ops._shared.units import MOST_JOINED
from tinyml_rules.request.request import Request

COUNTS = (MOST_JOINED, MOST_JOINED + 1, 1000)
ROWS, CHANNELS = 1, 3
"""Axes."""
turned = pytest.mark.parametrize(("axis", "other"), [(ROWS, CHANNELS), (CHANNELS, ROWS)])


def of_parts(count: int, axis: int, other: int) -> bytes:
    """An image in so many parts along an axis, joined from the last to the first along another;
    along rows nothing has to be copied."""
    chain = Chain(lambda low, _high: low)
    source = chain.activation(_shape(count, axis))
    chain.tensors.append(int32s("axis", axis))
    operands = (len(chain.tensors) - 1, source)
    parts = tuple(chain.activation(_shape(1, axis)) for _ in range(count))
    chain.operators.append(OperatorSpec("SPLIT", operands, parts, {"NumSplits": count}))
    chain.append_on(parts[::-1], "CONCATENATION", shape=_shape(count, other), Axis=other)
    return build_model(chain.model())


def _shape(count: int, axis: int) -> tuple[int, ...]:
    """Of two columns, with so many rows or channels."""
    return (1, count, 2, 1) if axis == ROWS else (1, 1, 2, count)


@pytest.mark.parametrize("count", COUNTS[:2])
def test_a_kernel_of_units_joins_no_more_than_it_has_parameters(count: int) -> None:
    forms = [step.kernel.form for step in program_of(of_parts(count, ROWS, CHANNELS)).steps]
    assert forms == ([Form.POINTWISE] if count == MOST_JOINED else [Form.WHOLE] * count)


@turned
@pytest.mark.parametrize("count", COUNTS)
def test_bytes_are_right(count: int, axis: int, other: int, tmp_path: Path) -> None:
    model = of_parts(count, axis, other)
    compiled = compile_model(Request(model, "model", host(), checked=True))
    shape = (2, *_shape(count, axis))
    samples = np.random.default_rng(1).integers(-128, 128, shape).astype(np.int8)
    found = run_on_host(compiled.files, compiled.interface, samples.tobytes(), folder=tmp_path)
    expected = np.flip(samples.swapaxes(1 + axis, 1 + other), axis=1 + other)
    assert found == expected.tobytes()
