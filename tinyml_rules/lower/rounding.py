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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tinyml_rules.arithmetic.short_multiplier import short_multipliers
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.program import Program, Step
from tinyml_rules.ir.rounding import Rounding

_WORTH_A_KERNEL = 512
"""Values an inference for which a kernel is there once more, to save an instruction or two each."""


SHORT_BITS = 26
"""Of the multipliers that take two products of 32 bits instead of three."""
_SHORT_SHIFTS = range(1, 11)
"""By which a sum of 19 bits is beyond int8 if it is any larger."""


@dataclass(frozen=True)
class Core:
    """A kind of processor: its `feature`, and what its forms take.

    Sums are below 2^`bits` in size; of those beyond, all that are shifted by at most
    `saturating_shift` become the least or the greatest int8, as their nearest below is.  `stored`:
    the tables that the form reads, from multipliers and shifts to the right.  `last`: the last
    Rounding that has a form.  `shifts_left`: `stored` gives shifts to the left.
    """

    feature: str
    bits: int
    stored: Callable[[Array, Array], tuple[Array, Array]]
    shifts: range = range(1, 32)
    saturating_shift: int = 0
    last: Rounding = Rounding.UPWARDS
    shifts_left: bool = False

    def tables(self, rounding: Rounding, multiplier: Array, right: Array) -> tuple[Array, Array]:
        """What the form reads: (multipliers, shifts), as int32 and int8, from TFLM's multipliers
        and its shifts to the right; for short ones those whose lowest bits are 0."""
        factors, shift = self.stored(multiplier, right)
        if rounding is Rounding.SHORT:
            factors, shift = np.right_shift(factors, _LOW_BITS), shift + _MORE_BELOW
        return factors.astype(np.int32), shift.astype(np.int8)

    def best(self, step: Step) -> _Choice:
        """What all sums of a step allow."""
        params: Any = step.params
        choice = _Choice(Rounding.TWICE)
        if step.most_sum is None or step.external or step.overflow:
            return choice
        right = -np.atleast_1d(np.asarray(params.shift, np.int64))
        first, last = int(right.min()), int(right.max())
        if first not in self.shifts or last not in self.shifts:
            return choice
        if step.most_sum >> self.bits and last > self.saturating_shift:
            return choice
        if self.last is Rounding.ONCE or params.clamp_min < params.output_zero_point:
            return _Choice(Rounding.ONCE)
        if self.last is Rounding.SHORT and last in _SHORT_SHIFTS:
            multiplier = short_multipliers(
                np.atleast_1d(np.asarray(params.multiplier, np.int64)),
                right,
                most=int(params.clamp_max) - int(params.output_zero_point),
                low_bits=_LOW_BITS,
            )
            choice = _Choice(Rounding.SHORT, multiplier)
        return choice if choice.multiplier is not None else _Choice(Rounding.UPWARDS)


@dataclass(frozen=True, eq=False)
class _Choice:
    """How a step can requantize, and with which multipliers, if not its own."""

    rounding: Rounding
    multiplier: Array | None = None


_LOW_BITS = 31 - SHORT_BITS
_MORE_BELOW = 4
"""Bits below those of the other forms without a product of 64 bits."""


def _plain(multiplier: Array, right: Array) -> tuple[Array, Array]:
    """Both as they are."""
    return multiplier, right


def _one_less(multiplier: Array, right: Array) -> tuple[Array, Array]:
    """For a multiplication that is rounded already."""
    return multiplier, right - 1


def _left(multiplier: Array, right: Array) -> tuple[Array, Array]:
    """For an instruction that shifts to the left."""
    return multiplier, np.negative(right)


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
    Core("avr", 23, _factors, shifts=range(2, 16), saturating_shift=14, last=Rounding.ONCE),
    Core("dsp", 30, _one_less),
    Core("mve", 29, _left, shifts=range(1, 23), shifts_left=True),
    Core("multiply_64", 29, _plain, shifts=range(1, 23)),
    Core(
        "registers_32",
        20,
        _below_a_part,
        shifts=range(1, 22),
        saturating_shift=11,
        last=Rounding.SHORT,
    ),
)
"""The first whose feature a target has is its own."""


def core_of(features: frozenset[str]) -> Core | None:
    """The forms of a target; None where kernels round twice."""
    return next((core for core in _CORES if core.feature in features), None)


def round_once(program: Program, *, is_shared: bool = False) -> Program:
    """The program with every kernel requantizing in the shortest way that its sums allow, or in one
    way for all steps that it does, where it `is_shared`."""
    core = core_of(program.features)
    if core is None:
        return program
    best = [core.best(step) for step in program.steps]
    worth = None if is_shared else _WORTH_A_KERNEL
    each = zip(program.steps, _chosen(program, best, worth), best, strict=True)
    return replace(program, steps=tuple(_rounded(*one, core) for one in each))


def _chosen(program: Program, best: Sequence[_Choice], worth: int | None) -> Iterator[Rounding]:
    """That of each step: the best that it allows, if the kernel makes many values so more than with
    the best of those that other steps of the same kernel need in any case."""
    values: dict[tuple[str, Rounding], int] = defaultdict(int)
    for step, choice in zip(program.steps, best, strict=True):
        count = sum(program.graph.tensors[index].count for index in step.outputs)
        values[step.kernel.name, choice.rounding] += count
    for step, choice in zip(program.steps, best, strict=True):
        below = [each for each in _up_to(choice.rounding) if (step.kernel.name, each) in values]
        while len(below) > 1:
            count = values[step.kernel.name, below[-1]]
            if worth is not None and _is_worth_a_kernel(below[-2], below[-1], count, worth):
                break
            below.pop()
        yield below[-1]


def _is_worth_a_kernel(below: Rounding, above: Rounding, values: int, worth: int) -> bool:
    """Whether so many values are made faster enough; a short multiplier alone saves little."""
    is_little = (below, above) == (Rounding.UPWARDS, Rounding.SHORT)
    return values >= worth and not is_little


def _up_to(rounding: Rounding) -> list[Rounding]:
    every = list(Rounding)
    return every[: every.index(rounding) + 1]


def _rounded(step: Step, rounding: Rounding, choice: _Choice, core: Core) -> Step:
    if rounding is Rounding.TWICE:
        return step
    params: Any = step.params
    own = params.multiplier if choice.multiplier is None else choice.multiplier
    right = -np.asarray(params.shift, np.int64)
    own = np.asarray(own, np.int64).reshape(right.shape)
    members: dict[str, Any] = dict(
        zip(("multiplier", "shift"), core.tables(rounding, own, right), strict=True)
    )
    if isinstance(params.shift, int):
        members = {name: int(table) for name, table in members.items()}
    kernel = step.kernel.rounded(rounding)
    return replace(step, kernel=kernel, params=replace(params, **members))
