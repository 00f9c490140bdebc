"""Which steps may have kernels whose constants take more flash: those for which there is room.

A firmware has code too, and more than a model: with such kernels all constants may take a third of
the flash, or three quarters of it where speed is what counts.  What they take without them is not
judged here.  Where there is no room for all, those of the most products for a byte come first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction

from tinyml_rules.ir.program import Step
from tinyml_rules.lower.choice import Choice, Optimize
from tinyml_rules.plan.room import Programs

SHARE = Fraction(1, 3)
SHARE_FOR_SPEED = Fraction(3, 4)


def with_flash_room(
    programs_of: Callable[[Choice], Programs], choice: Choice, flash_bytes: int | None
) -> tuple[Choice, Programs]:
    """The choice, without such kernels for the nodes that have no room for them, and what it makes;
    `flash_bytes` of the target, None where there is plenty."""
    found = programs_of(choice)
    if choice.goal is Optimize.SIZE or flash_bytes is None:
        return choice, found
    limit = flash_bytes * (SHARE_FOR_SPEED if choice.goal is Optimize.SPEED else SHARE)
    taken, steps = found[0].constant_bytes, found[0].steps
    if taken <= limit or not any(_takes_more(step) for step in steps):
        return choice, found
    plain, _ = programs_of(replace(choice, concise=frozenset(step.name for step in steps)))
    concise = set()
    for step, more_bytes in sorted(_longer(steps, plain.steps), key=_products_of_a_byte):
        if taken <= limit:
            break
        taken -= more_bytes
        concise.add(step.name)
    choice = replace(choice, concise=frozenset(concise))
    return choice, programs_of(choice)


def _takes_more(step: Step) -> bool:
    return step.kernel.is_large or step.kernel.is_for_speed


def _longer(longer: Iterable[Step], plain: Iterable[Step]) -> list[tuple[Step, int]]:
    """The steps with longer constants, and by how many bytes."""
    usual = {step.name: step.constant_bytes for step in plain}
    found = ((step, step.constant_bytes - usual[step.name]) for step in longer)
    return [(step, more_bytes) for step, more_bytes in found if more_bytes > 0]


def _products_of_a_byte(longer: tuple[Step, int]) -> float:
    step, more_bytes = longer
    return step.macs / more_bytes
