"""Sums, differences and products of two tensors of one shape: every pair of values equals TFLM's,
with scales and zero points that tie, saturate, or make one of them vanish."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_weight_pairs import kernel_of
from tests.support.stages import selected
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case
from tinyml_rules.ops._shared.cases.pairs import every_pair, pair
from tinyml_rules.target.target import load_target

PARTS = ("nrf52840", "lm3s6965")
"""Those whose pieces differ: SMMULR, and other products of 64 bits."""
WITH_TABLES = {
    **dict.fromkeys(("nrf51", "atmega1284p", "esp8266"), Optimize.BALANCED),
    "nrf52840": Optimize.SPEED,
}
"""Parts that look sums up, and the goal for which they do."""
SCALES: Mapping[str, tuple[tuple[float, float, float], ...]] = {
    "of_one_scale": ((0.25, 0.25, 0.5), (1.0, 1.0, 4.0), (0.3, 0.3, 0.01), (1.0, 1.0, 2.0**-18)),
    "of_two_scales": (
        *((0.3, 0.2, 0.4), (0.2, 0.3, 0.4), (1.0, 0.5, 1.0), (0.5, 1.0, 2.0), (0.3, 0.2, 8.0)),
        *((1.0, 2.0**-12, 1.0), (0.01, 2.0, 1.0), (1.0, 2.0**-29, 0.02), (0.999, 1.0, 2.0**-18)),
    ),
}
"""By the kernel that takes them: (first, second, output)."""
VANISHING = (1.0, 2.0**-40, 1.0)
FACTORS = ((0.03, 0.2, 0.4), (0.25, 0.25, 0.5), (0.5, 0.5, 8.0), (0.001, 0.7, 0.01), (1, 1, 0.5))
ZERO_POINTS = ((0, 0, 0), (90, -100, 3), (-128, 127, -128), (127, -128, 60))
CONSTANT = "copy_constant"
"""What is left where the clamps allow one value alone."""
VALUES = (*range(-128, 128, 5), 127)


def _model(operator: str, each: tuple[float, float, float], number: int) -> ModelSpec:
    activation = (Activation.NONE, Activation.RELU, Activation.RELU6)[number % 3]
    return pair(
        operator,
        "int8",
        (1, 257),
        (1, 257),
        scales=each,
        zero_points=ZERO_POINTS[number % len(ZERO_POINTS)],
        options={"FusedActivationFunction": int(activation)},
    )


def _cases(
    operator: str, kind: str, scales: tuple[tuple[float, float, float], ...]
) -> Iterator[tuple[str, Case]]:
    """Each of the scales with each of the zero points, and with each of the clamps."""
    for number, (each, _) in enumerate(product(scales, range(len(ZERO_POINTS)))):
        name = f"{operator}_{kind}_{number}".lower()
        yield name, every_pair(_model(operator, each, number), VALUES)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("operator", ["ADD", "SUB"])
@pytest.mark.parametrize("kind", SCALES)
def test_sums(operator: str, kind: str, part: str, tmp_path: Path) -> None:
    """All of them take such a kernel, and give the reference's bytes."""
    cases = dict(_cases(operator, kind, SCALES[kind]))
    kernels = {name: kernel_of(case.model, part) for name, case in cases.items()}
    cases = {name: case for name, case in cases.items() if CONSTANT not in kernels[name]}
    assert {kind in kernels[name] for name in cases} == {True}
    assert not wrong_in_c(cases, part, folder=tmp_path)


@pytest.mark.parametrize("part", WITH_TABLES)
def test_sums_of_tables(part: str, tmp_path: Path) -> None:
    """Every sum and difference whose values have such tables, which are most."""
    goal, features = WITH_TABLES[part], load_target(part).features
    cases: dict[str, Case] = {}
    for operator, kind in product(("ADD", "SUB"), SCALES):
        cases |= _cases(operator, kind, SCALES[kind])
    kernels = [
        selected(case.model, features=features, goal=goal).steps[0].kernel.name
        for case in cases.values()
    ]
    names = [name for name, each in zip(cases, kernels, strict=True) if "by_tables" in each]
    assert len(names) > 0.5 * len(cases)
    assert not wrong_in_c(
        {name: cases[name] for name in names}, part, folder=tmp_path, optimize=goal
    )


@pytest.mark.parametrize("part", [*PARTS, "atmega1284p"])
def test_products(part: str, tmp_path: Path) -> None:
    """Most of them round once, those that become larger do not."""
    cases = dict(_cases("MUL", "scales", FACTORS))
    assert {kernel_of(case.model, part) for case in cases.values()} <= {"mul", f"{CONSTANT}_8"}
    assert not wrong_in_c(cases, part, folder=tmp_path)


def test_a_scale_that_vanishes() -> None:
    """The multiplier is 0 then, and the shift not to the right."""
    for scales in (VANISHING, (VANISHING[1], VANISHING[0], VANISHING[2])):
        assert kernel_of(pair("ADD", "int8", scales=scales), PARTS[0]) == "add"
