"""What it would take to lower the peak of a plan, found by planning the alternatives.

Every figure is that of a plan that was made: nothing here is a rule of thumb.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.program import Form, Step
from tinyml_rules.plan.inside import put_apart, put_inside
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.plan.state import state_bytes
from tinyml_rules.plan.streams import obstacle
from tinyml_rules.plan.tasks import Ring, Schedule, Task
from tinyml_rules.reporting.peak import Kind, Peak, Resident, find_peak
from tinyml_rules.reporting.sizes import bytes_in_words

LARGEST_PROGRAM = 150
"""Steps up to which alternatives are planned, which takes several times as long as the plan."""
MOST_HALVED = 3
"""Tensors of the peak, largest first, that are tried at half their size."""


PACKED_COST = "such layers take up to five times as long"
"""An estimate, of what was measured."""


@dataclass(frozen=True)
class Advice:
    """What is so, or could be done: then with the bytes that it saves of a kind of memory, and the
    option that does so, if it is one."""

    text: str
    option: str = ""
    memory: str = ""
    saved_bytes: int = 0

    @property
    def sentence(self) -> str:
        """With the option and what it saves."""
        if not self.option:
            return self.text
        return f"{self.text}: {self.option} saves {self.saved_bytes:,} bytes of {self.memory}"


def advice(
    steps: Schedule, plan: MemoryPlan, *, mode: Mode, packable: Sequence[Step] = ()
) -> tuple[Advice, ...]:
    """The first says why the peak is what it is, the others what would lower it, and
    what would take less flash: `packable` are steps that would have packed weights."""
    peak = find_peak(steps, plan)
    if peak is None:
        return ()
    reason = Advice(_reason(steps, peak, mode=mode) + _computed_again(plan))
    if steps.slide is not None:  # the rows that windows share are as few as can be
        return (reason,)
    packing = _packing(steps, packable)
    if len(steps.program.steps) > LARGEST_PROGRAM:
        return (reason, *packing)
    return (reason, *_remedies(steps, plan, peak, mode=mode), *packing)


def _packing(steps: Schedule, packable: Sequence[Step]) -> Iterator[Advice]:
    """What packed weights would save, and whose time it would cost."""
    found = [step.packing for step in packable if step.packing is not None]
    if not found:
        return
    saved = sum(each.plain_bytes - each.packed_bytes for each in found)
    programs = (steps.program, *steps.program.called)
    products = sum(step.macs for each in programs for step in each.steps)
    share = sum(step.macs for step in packable) / products
    layers = "a layer" if len(found) == 1 else f"{len(found)} layers"
    text = (
        f"pack the weights of {layers} with {100 * share:.0f} % of the multiply-accumulates "
        f"({PACKED_COST})"
    )
    yield Advice(text, "--weights=packed", "flash", saved)


def _reason(steps: Schedule, peak: Peak, *, mode: Mode) -> str:
    """The largest tensors, which make up more than half of the peak, and why each is as large."""
    found: list[str] = []
    covered = 0
    for each in _largest_first(peak):
        if 2 * covered > peak.used_bytes:
            break
        state = _state(steps, each, mode=mode)
        what = "scratch memory" if each.kind is Kind.SCRATCH else f"tensor {each.label}"
        found.append(f"{what} ({bytes_in_words(each.size_bytes)}) {state}")
        covered += each.size_bytes
    return "; ".join(found)


def _computed_again(plan: MemoryPlan) -> str:
    """What groups cost, and what the plan without them would take."""
    if len(plan.curve) < 2:
        return ""
    saved = plan.curve[0].ram_bytes - plan.curve[-1].ram_bytes
    share = 100 * plan.more_products
    return f"; nodes in groups save {saved:,} bytes for {share:.0f} % more products"


def _largest_first(peak: Peak) -> list[Resident]:
    return sorted(peak.residents, key=lambda each: (-each.size_bytes, each.tensor))


def _state(steps: Schedule, each: Resident, *, mode: Mode) -> str:
    if each.kind is Kind.RING:
        return f"keeps {each.kept_rows} of its {each.rows} rows at a time"
    if each.kind is Kind.INPUT and steps.is_pushed:
        return "is the last pushed row of the input"
    if each.kind is Kind.INPUT:
        return "is the input, kept in full: the caller fills it first"
    if each.kind is Kind.OUTPUT:
        return "is an output, kept in full for the caller to read"
    if each.kind is Kind.SCRATCH:
        return f"is for the kernel of node {each.node}"
    reason = obstacle(steps.program, each.tensor)
    if not reason:
        by_choice = "running row by row would save nothing", "every layer runs by itself"
        reason = by_choice[mode is Mode.LAYER]
    return f"is kept in full: {reason}"


def _remedies(steps: Schedule, plan: MemoryPlan, peak: Peak, *, mode: Mode) -> Iterator[Advice]:
    if mode is Mode.LAYER:
        saved = _saving(steps, plan, is_pushed=steps.is_pushed)
        if saved is not None:
            text = "run layers row by row together"
            yield Advice(text, "--schedule=auto", "RAM", plan.arena_bytes - saved)
    if not steps.is_pushed:
        pushed = _saving(steps, plan, is_pushed=True)
        if pushed is not None:
            source = steps.program.graph.inputs[0]
            count = steps.program.graph.tensors[source].size_bytes
            text = (
                f"push rows of the input as they arrive, so that its {count:,} bytes are not stored"
            )
            yield Advice(text, "--push-rows", "RAM", plan.arena_bytes - pushed)
    yield from _halving(steps, plan, peak)


def _saving(steps: Schedule, plan: MemoryPlan, *, is_pushed: bool) -> int | None:
    """The arena of the best schedule; None where that saves nothing or rows cannot be pushed."""
    try:
        other = schedule(steps.program, mode=Mode.AUTO, is_pushed=is_pushed)
    except UnsupportedError:
        return None
    arena_bytes = _arena_bytes(other)
    return arena_bytes if arena_bytes < plan.arena_bytes else None


def _arena_bytes(steps: Schedule) -> int:
    return place(steps, lifetimes(steps), state_bytes=state_bytes(steps)).arena_bytes


def _halving(steps: Schedule, plan: MemoryPlan, peak: Peak) -> Iterator[Advice]:
    """The tensor of the peak that lowers it most when its rows are half as long."""
    outcomes = []
    for each in _largest_first(peak)[:MOST_HALVED]:
        smaller = _halved(steps, each.tensor)
        if smaller is not None:
            arena_bytes = _arena_bytes(smaller)
            outcomes.append((arena_bytes, each.tensor))
    if not outcomes:
        return
    arena_bytes, tensor = min(outcomes)
    if arena_bytes < plan.arena_bytes:
        text = f"a model with half the bytes in tensor #{tensor} would take {arena_bytes:,} bytes"
        yield Advice(text, "", "RAM", plan.arena_bytes - arena_bytes)


def _halved(steps: Schedule, tensor: int) -> Schedule | None:
    """The same tasks on a tensor with rows half as long; None where its units do not halve."""
    program = steps.program
    if tensor >= len(program.graph.tensors):
        return None
    found = program.graph.tensors[tensor]
    viewed = {tensor, *(each for each in program.layouts if program.buffer_of(each) == tensor)}
    touching = [
        step
        for step in program.steps
        if not viewed.isdisjoint(step.tensors) and step.kernel.form is Form.POINTWISE
    ]
    halves = len(found.shape) == 4 and found.shape[3] % 2 == 0 and len(viewed) == 1
    if not halves or any(found.count // 2 % step.units for step in touching):
        return None
    tensors = list(program.graph.tensors)
    tensors[tensor] = replace(found, shape=(*found.shape[:3], found.shape[3] // 2))
    graph = replace(program.graph, tensors=tuple(tensors))
    buffer = program.buffers[tensor]
    halved = replace(buffer, size_bytes=buffer.size_bytes // 2)
    tasks = tuple(_narrow(task, tensor) for task in steps.tasks)
    flat = tuple(step for task in tasks for step in task.steps)
    buffers = {**program.buffers, tensor: halved}
    program = replace(program, graph=graph, steps=flat, buffers=buffers)
    return replace(steps, program=program, tasks=tasks)


def _narrow(task: Task, tensor: int) -> Task:
    def narrowed(rings: tuple[Ring, ...]) -> tuple[Ring, ...]:
        return tuple(
            replace(ring, row_bytes=ring.row_bytes // 2) if ring.tensor == tensor else ring
            for ring in rings
        )

    apart = put_apart(task)
    results = narrowed(apart.results)
    fits = {
        host: guest
        for host, guest in task.guests.items()
        if results[host].row_bytes >= results[guest].row_bytes
    }
    steps = tuple(_narrow_step(step, tensor) for step in task.steps)
    narrow = replace(task, steps=steps, sources=narrowed(task.sources), results=results)
    return put_inside(narrow, fits)


def _narrow_step(step: Step, tensor: int) -> Step:
    window, columns = step.window, step.columns
    if window is None or columns is None:
        return step
    if tensor in step.inputs:
        window = replace(window, input_row_bytes=window.input_row_bytes // 2)
        columns = replace(columns, input_bytes=columns.input_bytes // 2)
    if tensor in step.outputs:
        window = replace(window, output_row_bytes=window.output_row_bytes // 2)
        columns = replace(columns, output_bytes=columns.output_bytes // 2)
    return replace(step, window=window, columns=columns)
