"""How each kernel requantizes its sums: in as few steps as give the same values for all of them.

With h = floor(4 * sum * multiplier / 2^32), which has one bit below the result of TFLM's rounding
doubling multiplication, that result is (h + 1) >> 1; and because floor((floor(y) + c) / 2^n) is
floor((y + c) / 2^n) for every whole c, the rounding shift to the right after it and the zero point
are one shift more: (((h + 1) >> shift) + 2 * zero_point + 1) >> 1.  That rounds ties upwards, and
TFLM's away from zero: below zero, h + 1 is 2 less.  Where the clamp cuts off what is below the zero
point, that does not matter.

A multiplier of 2^30, of scales whose ratio is a power of 2, makes h the sum itself: there is no
product and no table of multipliers, and the shifts tell all that there is.

Each core has pieces of C for it, which take bounded sums and have a way of their own to be told the
shift: its `Finish`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tinyml_rules.arithmetic.short_multiplier import short_multipliers
from tinyml_rules.cores import finish_of
from tinyml_rules.cores.finish import LOW_BITS, SHIFTING, Finish
from tinyml_rules.ir.c_struct import with_members
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.program import Program, Step
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ir.rounding import Rounding

_WORTH_A_KERNEL = 512
"""Values an inference for which a kernel is there once more, to save an instruction or two each."""

_HALF = 2**30
"""The multiplier of every ratio that is a power of 2: a half, of 31 bits."""
_SHORT_SHIFTS = range(1, 11)
"""By which a sum of 19 bits is beyond int8 if it is any larger."""


@dataclass(frozen=True, eq=False)
class _Allowed:
    """How a step can requantize, that which saves most last, and with which multipliers, if not its
    own."""

    forms: tuple[Rounding, ...]
    short: Array | None = None

    def of_any_multiplier(self) -> _Allowed:
        """Without what some multipliers alone allow."""
        left_out = (*SHIFTING, Rounding.SHORT)
        return _Allowed(tuple(each for each in self.forms if each not in left_out))


def _best(finish: Finish, step: Step) -> _Allowed:
    """What all sums of a step allow."""
    found = step.requantization
    if step.shifting is not None:
        return _Allowed((Rounding.TWICE, Rounding.SHIFT))
    if found is None or found.most_sum is None or step.overflow or _are_outside(step):
        return _Allowed((Rounding.TWICE,))
    return _of_bounded(finish, found, found.most_sum)


def _are_outside(step: Step) -> bool:
    """Whether its multipliers are outside flash, as TFLM has them."""
    return bool(step.external) and not hasattr(step.params, "multiplier")


def _of_bounded(finish: Finish, found: Requantization, most_sum: int) -> _Allowed:
    """What sums of at most this size allow."""
    is_upwards = found.clamp_min >= found.output_zero_point
    forms, short = [Rounding.TWICE], None
    if finish.bounds.take(most_sum, found.right):
        forms += [Rounding.ONCE, *([Rounding.UPWARDS] if is_upwards else ())]
        short = _short(finish, found) if is_upwards else None
        forms += [] if short is None else [Rounding.SHORT]
    is_shift = finish.shifting is not None and bool((found.multipliers == _HALF).all())
    if is_shift and finish.bounds_of(Rounding.SHIFT).take(most_sum, found.right):
        forms += [Rounding.SHIFT, *([Rounding.SHIFT_UPWARDS] if is_upwards else ())]
    return _Allowed(tuple(each for each in forms if each in (Rounding.TWICE, *finish.forms)), short)


def _short(finish: Finish, found: Requantization) -> Array | None:
    """Multipliers of fewer bits that do as well."""
    if finish.last is not Rounding.SHORT or int(found.right.max()) not in _SHORT_SHIFTS:
        return None
    return short_multipliers(
        found.multipliers,
        found.right,
        most=found.clamp_max - found.output_zero_point,
        low_bits=LOW_BITS,
    )


def round_once(
    program: Program, *, is_shared: bool = False, is_exchangeable: bool = False
) -> Program:
    """The program with every kernel requantizing in the shortest way that its sums allow, or in one
    way for all steps that it does, where it `is_shared`; in none that is for some multipliers alone
    where others may take their place."""
    finish = finish_of(program.features)
    if finish is None:
        return program
    best = [_best(finish, step) for step in program.steps]
    if is_exchangeable:
        best = [each.of_any_multiplier() for each in best]
    worth = None if is_shared else _WORTH_A_KERNEL
    each = zip(program.steps, _chosen(program, best, worth), best, strict=True)
    return replace(program, steps=tuple(_rounded(*one, finish) for one in each))


def rounded_like(step: Step, other: Step, program: Program) -> Step:
    """A step requantizing as another one of the program, which does the same sums, where its kernel
    can; or else in the shortest way that it can."""
    finish = finish_of(program.features)
    if finish is None:
        return step
    allowed = _best(finish, step)
    own = other.kernel.rounding
    return _rounded(step, own if own in allowed.forms else allowed.forms[-1], allowed, finish)


def _chosen(program: Program, best: Sequence[_Allowed], worth: int | None) -> Iterator[Rounding]:
    """That of each step: the best that it allows, if the kernel makes many values so more than with
    the best of those that other steps of the same kernel need in any case."""
    values: dict[tuple[str, Rounding], int] = defaultdict(int)
    for step, allowed in zip(program.steps, best, strict=True):
        count = sum(program.graph.tensors[index].count for index in step.outputs)
        values[step.kernel.name, allowed.forms[-1]] += count
    for step, allowed in zip(program.steps, best, strict=True):
        below = [each for each in allowed.forms if (step.kernel.name, each) in values]
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


def _rounded(step: Step, rounding: Rounding, allowed: _Allowed, finish: Finish) -> Step:
    if rounding is Rounding.TWICE:
        return step
    kernel = step.kernel.rounded(rounding)
    if step.shifting is not None:
        return replace(step, kernel=kernel, params=step.shifting)
    found = step.requantization
    assert found is not None
    own = found.multipliers if allowed.short is None else allowed.short
    stored = found.stored(*finish.tables(rounding, own, found.right))
    return replace(
        step,
        kernel=kernel,
        params=with_members(step.params, multiplier=stored.multiplier, shift=stored.shift),
        requantization=stored,
    )
