"""Sums that leave int32 wrap as in TFLM, without undefined behaviour in C, and are warned of.

The cases `sums_wrap...` of the operators compare on every target; here is what they leave out.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ZooModel
from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.operator_cases import (
    cases_of,
    expected_bytes,
    file_of,
    graph_of,
    sample_bytes,
)
from tinyml_rules.arithmetic.fixed_point import INT32_MAX, INT32_MIN
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.ir.features import Feature
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.cases.case import Case, random_case, with_tensor
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.runners.model import run_model
from tinyml_rules.target.target import Target, load_target

OPERATORS = ("conv_2d", "depthwise_conv_2d", "fully_connected")
WRAPPING = {
    f"{operator}_{name}": case
    for operator in OPERATORS
    for name, case in cases_of(operator).items()
    if "wrap" in name
}
LONGEST = random_case(
    dense((1, 70_000), (1, 4), values=np.full((4, 70_000), 127), zero_points=(-128, 3))
)
"""More products of one sign than int32 holds the sum of, at 127 x 255 each."""


def sanitized(*features: Feature) -> Target:
    """This computer, with the kernels that these features choose, in their portable C."""
    target = target_or_skip(SANITIZED)
    # one of them lists where cells outside the image would be, and does not read them
    flags = (*target.toolchain.compile_flags, "-fno-sanitize=pointer-overflow")
    toolchain = replace(target.toolchain, compile_flags=flags)
    return replace(target, features=frozenset(features), toolchain=toolchain)


def samples_of(case: Case) -> bytes:
    """The inputs as an image reads them."""
    return sample_bytes(case, graph_of(case, name="model"))


@pytest.mark.parametrize("features", [(), (Feature.REGISTERS_32,)], ids=["few", "many_registers"])
def test_portable_kernels_wrap_without_undefined_behaviour(
    features: tuple[Feature, ...], tmp_path: Path
) -> None:
    """The sanitizer stops at a signed overflow."""
    cases = {**WRAPPING, "longest": LONGEST}
    jobs = [Job(name, file_of(case), samples_of(case)) for name, case in cases.items()]
    outputs = run_combined(sanitized(*features), jobs, folder=tmp_path)
    assert outputs == {name: expected_bytes(case) for name, case in cases.items()}


@pytest.mark.parametrize("operator", OPERATORS)
def test_paged_kernels_wrap_without_undefined_behaviour(operator: str, tmp_path: Path) -> None:
    """The same with weights outside flash."""
    target = sanitized()
    for name, case in WRAPPING.items():
        if name.startswith(operator) and "sums" in name:
            request = Request(file_of(case), "model", target, weights=Weights.EXTERNAL)
            outcome = run_model(
                compile_model(request), target, samples_of(case), folder=tmp_path / name
            )
            assert (name, outcome.output) == (name, expected_bytes(case))


def compiled(model: ModelSpec) -> Compiled:
    """For this computer."""
    return compile_model(Request(build_model(model), "model", load_target("host")))


def with_biases(model: ModelSpec, *values: int) -> ModelSpec:
    """The model with these biases, as many as it has outputs."""
    return with_tensor(model, 2, data=np.array(values, np.int32))


WEIGHTS = [100, -3, 0, 7]
MOST = 107 * 127 + 3 * 128
LEAST = -107 * 128 - 3 * 127
ZERO_POINT_PART = 20 * 104
"""What the zero point of -20 adds to a sum of these weights."""


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    "model",
    [
        dense((1, 4), (1, 2), values=[[0, 0, 0, 0], WEIGHTS], zero_points=(-20, 0)),
        conv((1, 2, 2, 1), (2, 2), outputs=2, values=[0] * 4 + WEIGHTS, zero_points=(-20, 0)),
        depthwise(
            (1, 4, 1, 2),
            (4, 1),
            values=np.stack([np.zeros(4, int), WEIGHTS], axis=-1),
            zero_points=(-20, 0),
        ),
    ],
    ids=OPERATORS,
)
def test_warning_begins_where_int32_ends(model: ModelSpec, sign: int) -> None:
    """The last bias whose sum fits has none; the next one has, and other code."""
    model = with_tensor(model, 3, scales=(1e5,))
    last = INT32_MAX - MOST - ZERO_POINT_PART if sign > 0 else INT32_MIN - LEAST - ZERO_POINT_PART
    assert compiled(with_biases(model, 0, last)).warnings == ()
    beyond = compiled(with_biases(model, 0, last + sign))
    (warning,) = beyond.warnings
    reached = INT32_MAX + 1 if sign > 0 else INT32_MIN - 1
    assert warning == (
        f"model: node 0 ({model.operators[0].name.lower()}): warning: the sum of output 1 can "
        f"reach {reached}, beyond int32: it wraps\n"
        "  hint: so it does in TFLM; look at the scales of bias and weights"
    )
    assert beyond.report.warnings == (warning,)


def test_warning_of_a_zero_point() -> None:
    """A sum that fits until it is rescaled."""
    case = WRAPPING["fully_connected_zero_point_wraps_up"]
    (warning,) = compiled(case.model).warnings
    assert ": warning: the rescaled sum of output 0 can reach 2147483757, beyond int32" in warning


def test_ordinary_models_have_no_warning(zoo_model: ZooModel) -> None:
    """Nor the casts that wrapping takes."""
    for name in ("sine", "speech", "kws"):
        model = zoo_model(name).read_bytes()
        ordinary = compile_model(Request(model, name, load_target("nrf51")))
        assert ordinary.warnings == ()
        assert "(int32_t)((uint32_t)acc" not in ordinary.files[f"{name}.c"]
