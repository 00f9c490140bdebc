"""How each kernel requantizes its sums: in as few steps as give the same values for all of them.

With h = floor(4 * sum * multiplier / 2^32), which has one bit below the result of TFLM's rounding
doubling multiplication, that result is (h + 1) >> 1; and because floor((floor(y) + c) / 2^n) is
floor((y + c) / 2^n) for every whole c, the rounding shift to the right behind it and the zero point
are one shift more: (((h + 1) >> shift) + 2 * zero_point + 1) >> 1.  That rounds ties upwards, and
TFLM's away from zero: below zero, h + 1 is 2 less.  Where the clamp cuts off what is below the zero
point, that does not matter.

A multiplier of 2^30, of scales whose ratio is a power of 2, makes h the sum itself: there is no
product and no table of multipliers, and the shifts tell all that there is.

The pieces of C in emit/runtime have a form of it for each kind of processor, which takes bounded
sums, and has its own way to be told the shift.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tinyml_rules.arithmetic.short_multiplier import short_multipliers
from tinyml_rules.ir.c_struct import with_members
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.program import Program, Step
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ir.rounding import Rounding

_WORTH_A_KERNEL = 512
"""Values an inference for which a kernel is there once more, to save an instruction or two each."""

_HALF = 2**30
"""The multiplier of every ratio that is a power of 2: a half, of 31 bits."""
_SHIFTING = (Rounding.SHIFT, Rounding.SHIFT_UPWARDS)
"""Forms for that alone."""

SHORT_BITS = 26
"""Of the multipliers that take two products of 32 bits instead of three."""
_SHORT_SHIFTS = range(1, 11)
"""By which a sum of 19 bits is beyond int8 if it is any larger."""


@dataclass(frozen=True)
class Bounds:
    """What a form takes: sums below 2^`bits` in size, to be shifted to the right by `shifts`.

    Of sums beyond, all that are shifted by at most `saturating_shift` become the least or the
    greatest int8, as their nearest below is.
    """

    bits: int
    shifts: range
    saturating_shift: int = 0

    def take(self, most_sum: int, right: Array) -> bool:
        """Whether they are for sums of up to this size and these shifts to the right."""
        first, last = int(right.min()), int(right.max())
        if first not in self.shifts or last not in self.shifts:
            return False
        return most_sum >> self.bits == 0 or last <= self.saturating_shift


@dataclass(frozen=True)
class Core:
    """A kind of processor: its `feature`, and what its forms take.

    `stored`: the tables that the form reads, from multipliers and shifts to the right.  `last`: the
    last Rounding with a multiplication that has a form.  `shifts_left`: `stored` gives shifts to
    the left.  `shifting`: what the `shifting_forms`, which are without a multiplication, take;
    None where there are none.  `stored_shifts`: the table that they read.
    """

    feature: str
    bounds: Bounds
    stored: Callable[[Array, Array], tuple[Array, Array]]
    last: Rounding = Rounding.UPWARDS
    shifts_left: bool = False
    shifting: Bounds | None = None
    shifting_forms: tuple[Rounding, ...] = _SHIFTING
    stored_shifts: Callable[[Array], Array] = np.asarray

    @property
    def forms(self) -> tuple[Rounding, ...]:
        """Those that it has, but for the one that is for any sums."""
        every = list(Rounding)
        forms = every[1 : every.index(self.last) + 1]
        return (*forms, *(self.shifting_forms if self.shifting is not None else ()))

    def bounds_of(self, rounding: Rounding) -> Bounds:
        """What one of its forms takes."""
        bounds = self.shifting if rounding in _SHIFTING else self.bounds
        assert bounds is not None
        return bounds

    def tables(
        self, rounding: Rounding, multiplier: Array, right: Array
    ) -> tuple[Array | None, Array]:
        """What the form reads: (multipliers, shifts), as int32 and int8, from TFLM's multipliers
        and its shifts to the right; for short ones those whose lowest bits are 0."""
        if rounding in _SHIFTING:
            return None, self.stored_shifts(right).astype(np.int8)
        factors, shift = self.stored(multiplier, right)
        if rounding is Rounding.SHORT:
            factors, shift = np.right_shift(factors, _LOW_BITS), shift + _MORE_BELOW
        return factors.astype(np.int32), shift.astype(np.int8)

    def best(self, step: Step) -> _Choice:
        """What all sums of a step allow."""
        found = step.requantization
        if step.shifting is not None:
            return _Choice((Rounding.TWICE, Rounding.SHIFT))
        if found is None or found.most_sum is None or step.external or step.overflow:
            return _Choice((Rounding.TWICE,))
        return self._of_bounded(found, found.most_sum)

    def _of_bounded(self, found: Requantization, most_sum: int) -> _Choice:
        """What sums of at most this size allow."""
        right, is_upwards = found.right, found.clamp_min >= found.output_zero_point
        forms, short = [Rounding.TWICE], None
        if self.bounds.take(most_sum, right):
            forms += [Rounding.ONCE, *([Rounding.UPWARDS] if is_upwards else ())]
            short = self._short(found) if is_upwards else None
            forms += [] if short is None else [Rounding.SHORT]
        is_shift = self.shifting is not None and bool((found.multipliers == _HALF).all())
        if is_shift and self.bounds_of(Rounding.SHIFT).take(most_sum, right):
            forms += [Rounding.SHIFT, *([Rounding.SHIFT_UPWARDS] if is_upwards else ())]
        return _Choice(
            tuple(each for each in forms if each in (Rounding.TWICE, *self.forms)), short
        )

    def _short(self, found: Requantization) -> Array | None:
        """Multipliers of fewer bits that do as well."""
        if self.last is not Rounding.SHORT or int(found.right.max()) not in _SHORT_SHIFTS:
            return None
        return short_multipliers(
            found.multipliers,
            found.right,
            most=found.clamp_max - found.output_zero_point,
            low_bits=_LOW_BITS,
        )


@dataclass(frozen=True, eq=False)
class _Choice:
    """How a step can requantize, that which saves most last, and with which multipliers, if not its
    own."""

    forms: tuple[Rounding, ...]
    short: Array | None = None

    def of_any_multiplier(self) -> _Choice:
        """Without what some multipliers alone allow."""
        left_out = (*_SHIFTING, Rounding.SHORT)
        return _Choice(tuple(each for each in self.forms if each not in left_out))


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


def _short_products(right: Array) -> Array:
    """For a processor without a shifter: the power of 2 whose product is shifted right by 8, of a
    shift by one more; the negative of it where the shift is one by 8 more still."""
    shift = np.asarray(right, np.int64) + 1
    is_long = shift > 8
    power = np.left_shift(1, np.where(is_long, 16, 8) - shift)
    return np.where(is_long, -power, power)


_OF_32_BITS = Bounds(bits=29, shifts=range(1, 23))
_CORES = (
    Core(
        "avr",
        Bounds(bits=23, shifts=range(2, 16), saturating_shift=14),
        _factors,
        last=Rounding.ONCE,
        shifting=Bounds(bits=23, shifts=range(1, 16), saturating_shift=14),
        shifting_forms=(Rounding.SHIFT,),
        stored_shifts=_short_products,
    ),
    Core(
        "dsp",
        Bounds(bits=30, shifts=range(1, 32)),
        _one_less,
        shifting=_OF_32_BITS,
        shifting_forms=(Rounding.SHIFT_UPWARDS,),
    ),
    Core("mve", _OF_32_BITS, _left, shifts_left=True),
    Core("multiply_64", _OF_32_BITS, _plain, shifting=_OF_32_BITS),
    Core(
        "registers_32",
        Bounds(bits=20, shifts=range(1, 22), saturating_shift=11),
        _below_a_part,
        last=Rounding.SHORT,
        shifting=_OF_32_BITS,
    ),
)
"""The first whose feature a target has is its own."""


def core_of(features: frozenset[str]) -> Core | None:
    """The forms of a target; None where kernels round twice."""
    return next((core for core in _CORES if core.feature in features), None)


def round_once(
    program: Program, *, is_shared: bool = False, is_exchangeable: bool = False
) -> Program:
    """The program with every kernel requantizing in the shortest way that its sums allow, or in one
    way for all steps that it does, where it `is_shared`; in none that is for some multipliers alone
    where others may take their place."""
    core = core_of(program.features)
    if core is None:
        return program
    best = [core.best(step) for step in program.steps]
    if is_exchangeable:
        best = [each.of_any_multiplier() for each in best]
    worth = None if is_shared else _WORTH_A_KERNEL
    each = zip(program.steps, _chosen(program, best, worth), best, strict=True)
    return replace(program, steps=tuple(_rounded(*one, core) for one in each))


def _chosen(program: Program, best: Sequence[_Choice], worth: int | None) -> Iterator[Rounding]:
    """That of each step: the best that it allows, if the kernel makes many values so more than with
    the best of those that other steps of the same kernel need in any case."""
    values: dict[tuple[str, Rounding], int] = defaultdict(int)
    for step, choice in zip(program.steps, best, strict=True):
        count = sum(program.graph.tensors[index].count for index in step.outputs)
        values[step.kernel.name, choice.forms[-1]] += count
    for step, choice in zip(program.steps, best, strict=True):
        below = [each for each in choice.forms if (step.kernel.name, each) in values]
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


def _rounded(step: Step, rounding: Rounding, choice: _Choice, core: Core) -> Step:
    if rounding is Rounding.TWICE:
        return step
    kernel = step.kernel.rounded(rounding)
    if step.shifting is not None:
        return replace(step, kernel=kernel, params=step.shifting)
    found = step.requantization
    assert found is not None
    own = found.multipliers if choice.short is None else choice.short
    stored = found.stored(*core.tables(rounding, own, found.right))
    return replace(
        step,
        kernel=kernel,
        params=with_members(step.params, multiplier=stored.multiplier, shift=stored.shift),
        requantization=stored,
    )
