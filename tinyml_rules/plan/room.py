"""Which steps may have kernels that need much scratch memory: those for which there is room.

All kernels may need a little of it: 512 bytes, or an eighth of a small part's RAM.  A faster one
that needs more is taken where the RAM of the model is no more than

- a third of the target's, or
- what the user allows, or
- what it is with little scratch memory: then it is where tensors of other steps are.

Where there is no room for all such kernels, those that make the most products go first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from tinyml_rules.ir.buffers import LITTLE_SCRATCH
from tinyml_rules.ir.program import Program
from tinyml_rules.lower.choice import Choice, scratch_bytes
from tinyml_rules.plan.planned import Planned

SHARE = 3
"""So many models of this size would have room in the target's RAM."""
SHARE_OF_LITTLE = 8
"""The same of what is little scratch memory."""
PLANNED_STEPS = 4000
"""Steps of all choices that are tried together, so that the time to plan stays in proportion to the
model."""

Programs = tuple[Program, Mapping[int, Planned]]
"""The program of a model, and the graphs that its nodes run."""


@dataclass
class Room:
    """`programs_of`: what a choice makes; `ram_of`: the bytes of RAM of a program's plan;
    `part_bytes`: the RAM of the target, None where there is plenty; `ram_bytes`: the most that the
    user allows, None where nothing is said."""

    programs_of: Callable[[Choice], Programs]
    ram_of: Callable[[Program], int]
    part_bytes: int | None
    ram_bytes: int | None
    _steps: int = 0
    """Of the choices that were tried."""

    def fastest(self, choice: Choice, found: Programs) -> Programs:
        """With the fastest kernels for which there is room; `found`: what the choice makes."""
        asking = self._asking(found[0], choice)
        if not asking or (self.part_bytes is None and self.ram_bytes is None):
            return found
        limit = (self.part_bytes or 0) // SHARE if self.ram_bytes is None else self.ram_bytes
        taken = self.ram_of(found[0])
        if taken <= limit:
            return found
        little = replace(choice, most_scratch=self._little)
        least = self.programs_of(little)
        least_bytes = self.ram_of(least[0])
        if least_bytes > limit and _has_order(found[0], choice):
            # rows come in pieces, or once more
            choice = replace(choice, in_any_order=True)
            return self.fastest(choice, self.programs_of(choice))
        limit = max(limit, least_bytes)
        return found if taken <= limit else self._with(asking, little, least, limit)[1]

    @property
    def _little(self) -> int:
        """Bytes of scratch memory that all kernels may need."""
        part = self.part_bytes
        return LITTLE_SCRATCH if part is None else min(LITTLE_SCRATCH, part // SHARE_OF_LITTLE)

    def _asking(self, program: Program, choice: Choice) -> list[str]:
        """The nodes whose kernels ask for more scratch memory than that, most products first; not
        those whose kernels the user names."""
        steps = sorted(program.steps, key=lambda step: -step.macs)
        return [
            step.name
            for step in steps
            if scratch_bytes(step.kernel, step) > self._little and step.name not in choice.named
        ]

    def _with(
        self, nodes: Sequence[str], choice: Choice, best: Programs, limit: int
    ) -> tuple[Choice, Programs]:
        """The choice with those of the nodes for which there is room, and what it makes: first
        half of them, and the parts of what has no room."""
        middle = -(-len(nodes) // 2)
        for part in (nodes[:middle], nodes[middle:]):
            self._steps += len(best[0].steps)
            if not part or self._steps > PLANNED_STEPS:
                continue
            more = replace(choice, roomy=choice.roomy.union(part))
            found = self.programs_of(more)
            if self.ram_of(found[0]) <= limit:
                choice, best = more, found
            elif len(part) > 1:
                choice, best = self._with(part, choice, best, limit)
        return choice, best


def _has_order(program: Program, choice: Choice) -> bool:
    """Whether some kernel makes rows from the first to the last alone, and none that the user
    names."""
    names = {step.name for step in program.steps if step.kernel.rows_at_once > 1}
    return bool(names) and names.isdisjoint(choice.named)
