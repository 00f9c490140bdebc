"""What is in the arena and when, as pictures show it: from a plan, or from the report of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.tasks import Schedule
from tinyml_rules.reporting.parts import (
    PeakFigures,
    TaskFigures,
    TensorFigures,
    TimedTensor,
    TimelineFigures,
)
from tinyml_rules.reporting.peak import Kind, Peak, Resident, at_tasks, find_peak, residents
from tinyml_rules.reporting.report import Report


@dataclass(frozen=True)
class Task:
    """What runs at one time: a node, or those that run row by row together."""

    nodes: tuple[int, ...]
    op: str
    """Of the first of them."""
    is_streamed: bool


@dataclass(frozen=True)
class Timeline:
    """The tasks in their order, every tensor of the main arena, and the sizes of a plan in bytes.

    `ram_bytes` is the arena and, where weights are read in pages, a page.
    """

    name: str
    ops: Mapping[int, str]
    """The operators by node."""
    tasks: tuple[Task, ...]
    tensors: tuple[Resident, ...]
    peak: Peak | None
    ram_bytes: int
    arena_bytes: int
    page_bytes: int
    state_bytes: int
    lower_bound_bytes: int
    is_optimal: bool


def timeline_of(schedule: Schedule, plan: MemoryPlan) -> Timeline:
    """That of a plan."""
    return Timeline(
        name=schedule.program.graph.name,
        ops={step.node.index: step.node.op for step in schedule.program.steps},
        tasks=tuple(
            Task(
                tuple(step.node.index for step in task.steps),
                task.steps[0].node.op,
                is_streamed=task.is_streamed,
            )
            for task in schedule.tasks
        ),
        tensors=residents(schedule, plan),
        peak=find_peak(schedule, plan),
        ram_bytes=plan.ram_bytes,
        arena_bytes=plan.arena_bytes,
        page_bytes=plan.page_bytes,
        state_bytes=plan.state_bytes,
        lower_bound_bytes=plan.lower_bound_bytes,
        is_optimal=plan.is_optimal,
    )


def peak_figures(peak: Peak | None) -> PeakFigures | None:
    """What is in the arena at the task with the most bytes in use."""
    if peak is None:
        return None
    tensors = tuple(TensorFigures(*_figures(each)) for each in peak.residents)
    return PeakFigures(peak.task, peak.nodes, peak.used_bytes, tensors)


def timeline_figures(timeline: Timeline) -> TimelineFigures:
    """As a report has it."""
    return TimelineFigures(
        tuple(TaskFigures(each.nodes, each.op, each.is_streamed) for each in timeline.tasks),
        tuple(TimedTensor(*_figures(each), each.first, each.last) for each in timeline.tensors),
    )


def _figures(each: Resident) -> tuple[int, str, int | None, Kind, int, int, int, int]:
    """In the order of the fields of TensorFigures."""
    place = (each.size_bytes, each.offset, each.kept_rows, each.rows)
    return (each.tensor, each.name, each.node, each.kind, *place)


def timeline_from(report: Report) -> Timeline:
    """That of a report; the opposite of `timeline_figures`."""
    tasks = tuple(
        Task(each.nodes, each.op, is_streamed=each.row_by_row) for each in report.timeline.tasks
    )
    tensors = tuple(map(_resident, report.timeline.tensors))
    peak = None
    if report.peak is not None:
        *_, alive = at_tasks(tensors, report.peak.task + 1)
        peak = Peak(report.peak.task, report.peak.nodes, alive, report.peak.bytes)
    return Timeline(
        name=report.model,
        ops={each.node: each.op for each in report.nodes},
        tasks=tasks,
        tensors=tensors,
        peak=peak,
        ram_bytes=report.model_ram_bytes,
        arena_bytes=report.arena_bytes,
        page_bytes=report.model_ram_bytes - report.arena_bytes,
        state_bytes=report.state_bytes,
        lower_bound_bytes=report.arena_lower_bound_bytes,
        is_optimal=report.arena_is_optimal,
    )


def _resident(each: TimedTensor) -> Resident:
    return Resident(
        tensor=each.tensor,
        name=each.name,
        node=each.node,
        kind=each.kind,
        size_bytes=each.bytes,
        offset=each.offset,
        first=each.first_task,
        last=each.last_task,
        kept_rows=each.rows,
        rows=each.of_rows,
    )
