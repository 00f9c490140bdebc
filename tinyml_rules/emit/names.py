"""How the generated file calls nodes, kernels, tensors and rows."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.ir.program import Step
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.tasks import Ring, Schedule


@dataclass(frozen=True)
class Names:
    """`is_checked`: dead bytes are overwritten."""

    schedule: Schedule
    plan: MemoryPlan
    prefix: str
    is_checked: bool = False

    def node(self, step: Step) -> str:
        return f"&{self.prefix}node_{step.node.index}"

    def function(self, step: Step) -> str:
        return f"{self.prefix}{step.kernel.name}"

    def sums(self, step: Step) -> str:
        return f"{self.prefix}node_{step.node.index}_sums"

    def address(self, tensor: int) -> str:
        offset = self.plan.offsets[self.schedule.program.storage(tensor)]
        return f"{self.prefix}arena + {offset}"

    def row(self, ring: Ring, counter: str) -> str:
        """The address of a row in its ring."""
        slot = counter if ring.is_whole else f"{counter} % {ring.capacity}"
        if ring.capacity == 1:
            return self.address(ring.tensor)
        product = slot if ring.is_whole else f"({slot})"
        return f"{self.address(ring.tensor)} + {product} * {ring.row_bytes}"
