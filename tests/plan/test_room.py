"""Kernels that need much scratch memory are taken where the part, or the plan, has room for it."""

from __future__ import annotations

import pytest

from tests.support.chained import chained
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.compiler import select_program
from tinyml_rules.ir.buffers import LITTLE_SCRATCH
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.cases.weighted import Image, Pair
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.overview.kernels import kernels_of
from tinyml_rules.plan.groups import Ram
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

MUCH, NOTHING = "conv_2d_unsigned_patch", "conv_2d"
"""The kernels of a layer with 288 values of an output on AVR, without what tells how they
requantize: the faster one needs 864 bytes."""


def layer(image: Image, window: Pair = (3, 3), *, outputs: int, stride: int = 1) -> ModelSpec:
    """A convolution whose results are not below the zero point."""
    return conv(
        image,
        window,
        outputs=outputs,
        strides=(stride, stride),
        activation=Activation.RELU,
        zero_points=(-128, -128),
        bias_size=None,
        is_per_axis=False,
    )


ALONE = build_model(layer((1, 4, 4, 32), outputs=8))
AFTER_A_LARGE_ONE = build_model(
    chained(layer((1, 16, 16, 16), (1, 1), outputs=32, stride=4), layer((1, 4, 4, 32), outputs=8))
)
SEVERAL = build_model(
    chained(
        layer((1, 8, 8, 32), outputs=32),
        layer((1, 8, 8, 32), outputs=32, stride=4),
        layer((1, 2, 2, 32), outputs=8),
    )
)


def kernels(model: bytes, target: str, ram: Ram | int = Ram.FASTEST) -> list[str]:
    """Of each node, without the end of the name."""
    program = select_program(Request(model, "model", load_target(target), ram=ram))
    return [
        next(
            each for each in (MUCH, NOTHING, step.kernel.name) if step.kernel.name.startswith(each)
        )
        for step in program.steps
    ]


@pytest.mark.parametrize(
    ("target", "ram", "taken"),
    [
        ("atmega1284p", Ram.FASTEST, MUCH),
        ("atmega328", Ram.FASTEST, NOTHING),
        ("atmega328", 1600, MUCH),
    ],
)
def test_room_of_a_part_and_of_the_user(target: str, ram: Ram | int, taken: str) -> None:
    """1,504 bytes are less than a third of 16 kB, and more than one of 2 kB."""
    assert kernels(ALONE, target, ram) == [taken]


def test_room_under_other_tensors() -> None:
    """What the second layer needs is no more than what the first one has in any case."""
    assert kernels(AFTER_A_LARGE_ONE, "atmega328")[1] == MUCH


def test_some_of_several() -> None:
    """Of three layers the first two are where the most bytes are in use."""
    assert kernels(SEVERAL, "atmega328") == [NOTHING, NOTHING, MUCH]
    request = Request(SEVERAL, "model", load_target("atmega328"))
    assert select_program(request).steps[2].scratch[0].size_bytes > LITTLE_SCRATCH
    first = kernels_of(request)[0]
    (reason,) = (each.against for each in first.verdicts if each.kernel == MUCH)
    assert reason == "no room for 864 bytes of scratch memory"
    assert kernels(SEVERAL, "atmega1284p") == [MUCH, MUCH, MUCH]
