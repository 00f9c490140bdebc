"""A graph that nodes of another one run, planned separately: its memory is the caller's scratch."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.ir.buffers import Scratch
from tinyml_rules.ir.program import Program
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.plan.tasks import Schedule
from tinyml_rules.plan.verify import verify_plan


@dataclass(frozen=True, eq=False)
class Planned:
    """The order of a graph's steps, and the offsets of its tensors in the memory that it gets."""

    schedule: Schedule
    plan: MemoryPlan

    @property
    def memory(self) -> Scratch:
        """Size and alignment of the memory that it needs."""
        program = self.schedule.program
        return Scratch(max(self.plan.arena_bytes, 1), max(program.alignment, 1))

    def offset(self, tensor: int) -> int:
        """The offset of a tensor in that memory, in bytes."""
        layout = self.schedule.program.layouts[tensor]
        return self.plan.offsets[layout.buffer] + layout.offset_bytes


def plan_called(program: Program) -> Planned:
    """Layer by layer: rings and sums of streams would be memory of the model's own."""
    steps = schedule(program, mode=Mode.LAYER)
    plan = place(steps, lifetimes(steps))
    verify_plan(steps, plan)
    return Planned(steps, plan)
