"""How each kernel requantizes its sums: in as few steps as give the same values for all of them.

With h = floor(4 * sum * multiplier / 2^32), which has one bit below the result of TFLM's rounding
doubling multiplication, that result is (h + 1) >> 1; and because floor((floor(y) + c) / 2^n) is
floor((y + c) / 2^n) for every whole c, the rounding shift to the right behind it and the zero point
are one shift more: (((h + 1) >> shift) + 2 * zero_point + 1) >> 1.  That rounds ties upwards, and
TFLM's away from zero: below zero, h + 1 is 2 less.  Where the clamp cuts off what is below the zero
point, that does not matter.

The pieces of C in emit/runtime have a form of it for each kind of processor, which takes bounded
sums, and has its own way to be told the shift.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.program import Program, Step
from tinyml_rules.ir.rounding import Rounding

_WORTH_A_KERNEL = 512
"""Values an inference for which a kernel is there once more, to save an instruction or two each."""


@dataclass(frozen=True)
class Core:
    """A kind of processor: its `feature`, and what its forms take.

    Sums are below 2^`bits` in size; of those beyond, all that are shifted by at most
    `saturating_shift` become the least or the greatest int8, as their nearest below is.  `stored`:
    the tables that the form reads, from multipliers and shifts to the right.
    """

    feature: str
    bits: int
    stored: Callable[[Array, Array], tuple[Array, Array]]
    shifts: range = range(1, 32)
    saturating_shift: int = 0
    has_upwards: bool = True

    def takes(self, step: Step, rounding: Rounding) -> bool:
        """Whether the form is for all sums of the step."""
        params: Any = step.params
        right = -np.asarray(params.shift, np.int64)
        first, last = int(right.min()), int(right.max())
        if first not in self.shifts or last not in self.shifts or step.most_sum is None:
            return False
        if step.overflow or (step.most_sum >> self.bits and last > self.saturating_shift):
            return False
        is_cut = bool(params.clamp_min >= params.output_zero_point)
        return rounding is Rounding.ONCE or (self.has_upwards and is_cut)


def _plain(multiplier: Array, right: Array) -> tuple[Array, Array]:
    """Both as they are."""
    return multiplier, right


def _one_less(multiplier: Array, right: Array) -> tuple[Array, Array]:
    """For a multiplication that is rounded already."""
    return multiplier, right - 1


def _below_a_part(multiplier: Array, right: Array) -> tuple[Array, Array]:
    """For products of parts, which have 8 bits more below the last one."""
    return multiplier, right + 8


def _factors(multiplier: Array, right: Array) -> tuple[Array, Array]:
    """For a processor without a shifter: the doubled multiplier, and the power of 2 whose product
    is shifted right by 8; it is odd where the shift is one by 8 more."""
    is_long = np.asarray(right, np.int64) >= 8
    power = np.left_shift(1, np.where(is_long, 16 - right, 8 - right))
    factor = np.where(right == 8, 1, power + is_long)
    return (multiplier.astype(np.int64) << 1).astype(np.uint32).view(np.int32), factor


_CORES = (
    Core("avr", 23, _factors, shifts=range(2, 16), has_upwards=False),
    Core("dsp", 30, _one_less),
    Core("multiply_64", 29, _plain),
    Core("registers_32", 20, _below_a_part, shifts=range(1, 22), saturating_shift=11),
)
"""The first whose feature a target has is its own."""


def core_of(features: frozenset[str]) -> Core | None:
    """The forms of a target; None where kernels round twice."""
    return next((core for core in _CORES if core.feature in features), None)


def round_once(program: Program) -> Program:
    """The program with every kernel requantizing in the shortest way that its sums allow."""
    core = core_of(program.features)
    if core is None:
        return program
    chosen = _chosen(program, core)
    steps = (
        _rounded(step, rounding, core) for step, rounding in zip(program.steps, chosen, strict=True)
    )
    return replace(program, steps=tuple(steps))


def _chosen(program: Program, core: Core) -> Iterator[Rounding]:
    """That of each step: the best that it allows, if the kernel makes many values so, else the best
    of those that other steps of the same kernel need in any case."""
    values: dict[tuple[str, Rounding], int] = defaultdict(int)
    best = [_best(step, core) for step in program.steps]
    for step, rounding in zip(program.steps, best, strict=True):
        count = sum(program.graph.tensors[index].count for index in step.outputs)
        values[step.kernel.name, rounding] += count
    for step, rounding in zip(program.steps, best, strict=True):
        below = [each for each in _up_to(rounding) if (step.kernel.name, each) in values]
        while len(below) > 1 and values[step.kernel.name, below[-1]] < _WORTH_A_KERNEL:
            below.pop()
        yield below[-1]


def _up_to(rounding: Rounding) -> list[Rounding]:
    every = list(Rounding)
    return every[: every.index(rounding) + 1]


def _best(step: Step, core: Core) -> Rounding:
    if step.most_sum is None or step.external:
        return Rounding.TWICE
    forms = (Rounding.UPWARDS, Rounding.ONCE)
    return next((form for form in forms if core.takes(step, form)), Rounding.TWICE)


def _rounded(step: Step, rounding: Rounding, core: Core) -> Step:
    if rounding is Rounding.TWICE:
        return step
    params: Any = step.params
    right = -np.asarray(params.shift, np.int64)
    multiplier, shift = core.stored(np.asarray(params.multiplier), right)
    members: dict[str, Any] = {"multiplier": multiplier.astype(np.int32)}
    members["shift"] = shift.astype(np.int8)
    if isinstance(params.shift, int):
        members = {name: int(table) for name, table in members.items()}
    kernel = step.kernel.rounded(rounding)
    return replace(step, kernel=kernel, params=replace(params, **members))
