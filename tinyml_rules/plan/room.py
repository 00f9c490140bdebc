"""Which steps may have kernels that need much scratch memory: those for which there is room.

All kernels may need a little of it.  A faster one that needs more is taken where the RAM of the
model is no more than

- a third of the target's, or
- what the user allows, or
- what it is with little scratch memory: then it is where tensors of other steps are.

Where there is no room for all such kernels, those that make the most products go first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from tinyml_rules.ir.program import Program, Step
from tinyml_rules.lower.choice import LITTLE_SCRATCH, Choice
from tinyml_rules.plan.planned import Planned

SHARE = 3
"""So many models of this size would have room in the target's RAM."""
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

    def fastest(self, choice: Choice) -> Programs:
        """With the fastest kernels for which there is room."""
        found = self.programs_of(choice)
        asking = _asking(found[0], choice)
        if not asking or (self.part_bytes is None and self.ram_bytes is None):
            return found
        limit = (self.part_bytes or 0) // SHARE if self.ram_bytes is None else self.ram_bytes
        taken = self.ram_of(found[0])
        if taken <= limit:
            return found
        choice = replace(choice, most_scratch=LITTLE_SCRATCH)
        least = self.programs_of(choice)
        limit = max(limit, self.ram_of(least[0]))
        return found if taken <= limit else self._with(asking, choice, least, limit)[1]

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


def _asking(program: Program, choice: Choice) -> list[str]:
    """The nodes whose kernels ask for much scratch memory, most products first; not those whose
    kernels the user names."""
    steps = sorted(program.steps, key=lambda step: -step.macs)
    return [
        step.name
        for step in steps
        if _asked_bytes(step) > LITTLE_SCRATCH and step.name not in choice.named
    ]


def _asked_bytes(step: Step) -> int:
    """What the kernel asks for comes after what the node needs in any case."""
    return 0 if step.kernel.scratch is None else step.scratch[-1].size_bytes
