"""Schedule and plan -> the task that sets the size of the arena, and the tensors in it then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tinyml_rules.ir.program import Program
from tinyml_rules.plan.memory_plan import MAIN, Lifetime, MemoryPlan
from tinyml_rules.plan.tasks import Ring, Schedule


class Kind(StrEnum):
    """What a stored tensor is for."""

    INPUT = "input"
    OUTPUT = "output"
    WHOLE = "intermediate"
    RING = "ring"
    SCRATCH = "scratch"

    @property
    def word(self) -> str:
        """As pictures and pages name it."""
        return "rows" if self is Kind.RING else self.value


@dataclass(frozen=True)
class Resident:
    """A stored tensor while it is in the arena; of a ring only `kept_rows` of `rows` exist.  `node`
    writes it first, None where the caller does."""

    tensor: int
    name: str
    node: int | None
    kind: Kind
    size_bytes: int
    offset: int
    first: int
    last: int
    kept_rows: int
    rows: int

    @property
    def end(self) -> int:
        return self.offset + self.size_bytes

    @property
    def label(self) -> str:
        """The number of a tensor, short."""
        return "scratch" if self.kind is Kind.SCRATCH else f"#{self.tensor}"


@dataclass(frozen=True)
class Peak:
    """The task with the most bytes in use, by position and nodes, and the tensors in the arena
    then.

    `used_bytes` counts sums and counters too, and a byte once that an output shares with the input
    it overwrites; it is less than the arena where bytes are lost between tensors.
    """

    task: int
    nodes: tuple[int, ...]
    residents: tuple[Resident, ...]
    used_bytes: int


def residents(schedule: Schedule, plan: MemoryPlan) -> tuple[Resident, ...]:
    """Every tensor stored in the main arena, in the order of the plan's lifetimes."""
    rings = {
        ring.tensor: ring for task in schedule.tasks for ring in task.rings if not ring.is_whole
    }
    program = schedule.program
    writers: dict[int, int] = {}
    for step in program.steps:
        for each in (*map(program.buffer_of, step.outputs), *step.workspace):
            writers.setdefault(each, step.node.index)
    return tuple(
        _resident(program, plan, lifetime, rings, writers.get(lifetime.tensor))
        for lifetime in plan.lifetimes
        if plan.region(lifetime.tensor) == MAIN
    )


def _resident(
    program: Program,
    plan: MemoryPlan,
    lifetime: Lifetime,
    rings: dict[int, Ring],
    node: int | None,
) -> Resident:
    buffer = program.buffers[lifetime.tensor]
    number = buffer.tensor
    tensor = None if number is None else program.graph.tensors[number]
    ring = rings.get(lifetime.tensor)
    rows = tensor.shape[1] if tensor is not None and len(tensor.shape) == 4 else 1
    return Resident(
        tensor=lifetime.tensor,
        name=buffer.name if tensor is None else tensor.name,
        node=node,
        kind=_kind(program, lifetime.tensor, is_ring=ring is not None),
        size_bytes=lifetime.size_bytes,
        offset=plan.offsets[lifetime.tensor],
        first=lifetime.first,
        last=lifetime.last,
        kept_rows=rows if ring is None else ring.capacity,
        rows=rows if ring is None else ring.rows,
    )


def _kind(program: Program, tensor: int, *, is_ring: bool) -> Kind:
    graph = program.graph
    if is_ring:
        return Kind.RING
    if program.buffers[tensor].tensor is None:
        return Kind.SCRATCH
    if tensor in map(program.buffer_of, graph.inputs):
        return Kind.INPUT
    return Kind.OUTPUT if tensor in map(program.buffer_of, graph.outputs) else Kind.WHOLE


def at_tasks(everything: Sequence[Resident], count: int) -> Iterator[tuple[Resident, ...]]:
    """Those that are alive at each of `count` tasks, lowest first."""
    waiting = sorted(everything, key=lambda each: each.first, reverse=True)
    alive: list[Resident] = []
    for task in range(count):
        while waiting and waiting[-1].first <= task:
            alive.append(waiting.pop())
        alive = [each for each in alive if each.last >= task]
        alive.sort(key=lambda each: (each.offset, each.end, each.tensor))
        yield tuple(alive)


def used_bytes(alive: Sequence[Resident]) -> int:
    """Bytes that at least one of them occupies; they are sorted by offset."""
    used = end = 0
    for each in alive:
        used += max(each.end - max(each.offset, end), 0)
        end = max(end, each.end)
    return used


def find_peak(schedule: Schedule, plan: MemoryPlan) -> Peak | None:
    """The first of the tasks with the most bytes in use; None for a model without tasks."""
    if not schedule.tasks:
        return None
    everything = enumerate(at_tasks(residents(schedule, plan), len(schedule.tasks)))
    task, alive = max(everything, key=lambda moment: used_bytes(moment[1]))
    nodes = tuple(step.node.index for step in schedule.tasks[task].steps)
    return Peak(task, nodes, alive, plan.state_bytes + used_bytes(alive))
