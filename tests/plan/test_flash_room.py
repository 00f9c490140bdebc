"""Kernels for speed take more flash, and are taken where the part has room for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.chained import chained
from tinyml_rules.compiler import select_program
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.overview.kernels import kernels_of
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

PART, LARGER_PART = "stm32f072", "nrf51"
FOR_SPEED = "triples"


def request(target: str = PART, goal: Optimize = Optimize.SPEED) -> Request:
    """A convolution of 24 kB of weights for 16 pixels, and a vector of 26 kB: together their words
    have room in 256 kB, and in 128 kB one of them has."""
    more: dict[str, Any] = {"is_per_axis": False, "factor": 2.0**-12}
    image = conv((1, 4, 4, 128), (1, 1), outputs=192, **more)
    values = np.ones((8, 3072), np.int8)
    vector = dense((1, 4, 4, 192), (1, 8), input_count=3072, values=values, **more)
    return Request(build_model(chained(image, vector)), "model", load_target(target), optimize=goal)


def are_for_speed(its: Request) -> list[bool]:
    """Of each step."""
    return [FOR_SPEED in step.kernel.name for step in select_program(its).steps]


@pytest.mark.parametrize(
    ("target", "goal", "taken"),
    [
        (LARGER_PART, Optimize.SPEED, [True, True]),
        (PART, Optimize.SPEED, [True, False]),
        (PART, Optimize.BALANCED, [False, False]),
    ],
)
def test_most_products_for_a_byte_come_first(
    target: str, goal: Optimize, taken: list[bool]
) -> None:
    """The weights of many pixels, where all would exceed three quarters of the flash."""
    assert are_for_speed(request(target, goal)) == taken
    constants = select_program(request(target, goal)).constant_bytes
    memory = load_target(target).memory
    assert memory is not None and constants <= memory.flash.bytes * 3 // 4


def test_reason() -> None:
    """`inspect --kernels` says why."""
    (vector,) = (each for each in kernels_of(request()) if each.operator == "fully_connected")
    against = {each.kernel: each.against for each in vector.verdicts}
    assert against["fully_connected_triples_12_by_1"] == "no room in flash for its constants"
