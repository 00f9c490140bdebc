"""What a model needs of the decoder of Rice codes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tinyml_rules.arithmetic.rice import GROUP, PAIRED_BITS
from tinyml_rules.ir.program import Form
from tinyml_rules.plan.packed_pieces import piece_of
from tinyml_rules.plan.tasks import Schedule


@dataclass(frozen=True)
class RiceUse:
    """`low_bits`: the numbers of low bits that rows have; `has_last`: some weights of a row are
    beyond eights."""

    low_bits: tuple[int, ...]
    has_last: bool

    @property
    def planes(self) -> int:
        """The most low bits that are in a byte for eight weights."""
        return max((each % PAIRED_BITS for each in self.low_bits), default=0)


def rice_use(schedules: Iterable[Schedule]) -> RiceUse:
    """Of all steps with weights in Rice codes."""
    low_bits: set[int] = set()
    has_last = False
    for schedule in schedules:
        for task in schedule.tasks:
            for step in task.steps:
                if {"rice_dot_product", "rice_dot_product_far"}.isdisjoint(step.kernel.runtime):
                    continue
                is_whole = step.kernel.form is not Form.ROWS
                piece = step.patch if is_whole else piece_of(step, task, schedule.program)
                low_bits.update(step.tables["low_bits"].values.tolist())
                has_last |= piece % GROUP != 0
    return RiceUse(tuple(sorted(low_bits)), has_last)
