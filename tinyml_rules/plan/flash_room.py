"""Which steps may have kernels for speed, whose constants take more flash: those for which there is
room.

A firmware has code too, so that with such kernels all constants may take `SHARE` of the flash; what
they take without them is not judged here.  Where there is no room for all, those of the most
products for a byte come first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction

from tinyml_rules.ir.program import Program, Step
from tinyml_rules.lower.choice import Choice, Optimize

SHARE = Fraction(3, 4)


def with_flash_room(
    program_of: Callable[[Choice], Program], choice: Choice, flash_bytes: int | None
) -> Choice:
    """The choice, without kernels for speed for the nodes that have no room for them; `flash_bytes`
    of the target, None where there is plenty."""
    if choice.goal is not Optimize.SPEED or flash_bytes is None:
        return choice
    fast, limit = program_of(choice), flash_bytes * SHARE
    taken = fast.constant_bytes
    if taken <= limit:
        return choice
    plain = program_of(replace(choice, goal=Optimize.BALANCED))
    spared = set()
    for step, more_bytes in sorted(_longer(fast.steps, plain.steps), key=_products_of_a_byte):
        if taken <= limit:
            break
        taken -= more_bytes
        spared.add(step.name)
    return replace(choice, unhurried=frozenset(spared))


def _longer(fast: Iterable[Step], plain: Iterable[Step]) -> list[tuple[Step, int]]:
    """The steps with longer constants, and by how many bytes."""
    usual = {step.name: step.constant_bytes for step in plain}
    found = ((step, step.constant_bytes - usual[step.name]) for step in fast)
    return [(step, more_bytes) for step, more_bytes in found if more_bytes > 0]


def _products_of_a_byte(longer: tuple[Step, int]) -> float:
    step, more_bytes = longer
    return step.macs / more_bytes
