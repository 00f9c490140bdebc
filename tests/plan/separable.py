"""Chains of depthwise and 1x1 convolutions, and a 1x1 kernel for the host that copies its pixel."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.plan.chains import Chain, Pick
from tests.support.stages import passed
from tinyml_rules.ir.program import Kernel, Program
from tinyml_rules.lower.select import select
from tinyml_rules.model_file.writer import OPTIONAL, build_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.ops._shared.spatial import Padding, Sliding

_SAME = Padding.SAME


@cache
def copying_operators() -> Operators:
    """The builtin ones, with a 1x1 kernel in front that has a copy of its pixel."""
    known = dict(builtin_operators())
    op = known["conv_2d"]
    plain = plain_kernel()
    template = Path(__file__).with_name("copied_pixels.c.j2")
    name = "conv_2d_copied_pixels"
    copying = replace(plain, name=name, template=template, has_far_form=False, copies_unit=True)
    meanings = (
        replace(each, kernels=(copying, *each.kernels)) if plain in each.kernels else each
        for each in op.meanings
    )
    known["conv_2d"] = replace(op, meanings=tuple(meanings))
    return Operators.of(known.values())


def plain_kernel() -> Kernel[Any]:
    """The 1x1 kernel of all targets, which reads its pixel for every output."""
    meanings = builtin_operators()["conv_2d"].meanings
    name = "conv_2d_pointwise"
    return next(each for one in meanings for each in one.kernels if each.name == name)


def program_of(model: bytes, *, copies: bool = True) -> Program:
    """For the host, with that kernel, or with the same that does not say that it copies."""
    program = select(passed(model), frozenset(), copying_operators())
    if copies:
        return program
    steps = (
        replace(step, kernel=replace(step.kernel, copies_unit=False)) for step in program.steps
    )
    return replace(program, steps=tuple(steps))


def depthwise(chain: Chain, size: int, stride: int) -> None:
    """A window of `size` rows and columns."""
    batches, *sizes, channels = chain.shape
    made = [Sliding(size, stride).output_size(each, _SAME) for each in sizes]
    weights = chain.weights((1, size, size, channels), taps=size * size)
    options = {"Padding": int(_SAME), "StrideH": stride, "StrideW": stride, "DepthMultiplier": 1}
    chain.append("DEPTHWISE_CONV_2D", weights, shape=(batches, *made, channels), **options)


def pointwise(chain: Chain, outputs: int, *, has_relu: bool = False) -> None:
    """A 1x1 convolution."""
    *outer, channels = chain.shape
    weights = chain.weights((outputs, 1, 1, channels), taps=channels)
    options = {"Padding": int(_SAME), "StrideH": 1, "StrideW": 1}
    options["FusedActivationFunction"] = int(has_relu)
    chain.append("CONV_2D", weights, OPTIONAL, shape=(*outer, outputs), **options)


def small_chain(shape: tuple[int, int, int, int]) -> Chain:
    """One that begins with an image of this shape."""
    chain = Chain(lambda low, _high: low)
    chain.activation(shape)
    return chain


def separable(pick: Pick) -> bytes:
    """A few pairs of both, now and then two 1x1 in a row, and perhaps a RELU."""
    chain = Chain(pick)
    chain.activation((1, pick(2, 9), pick(1, 7), pick(1, 5)))
    for _ in range(pick(1, 4)):
        if pick(0, 4):
            depthwise(chain, pick(1, 3), 2 if pick(0, 3) == 3 else 1)
        channels = chain.shape[3]
        pointwise(chain, channels if pick(0, 1) else pick(1, 9))
        if pick(0, 5) == 5:
            chain.append("RELU", shape=chain.shape)
    return build_model(chain.model())


def random_separable(number: int) -> bytes:
    """The model of a number."""
    generator = np.random.default_rng(number)
    return separable(lambda low, high: int(generator.integers(low, high + 1)))
