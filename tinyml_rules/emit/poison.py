"""The statements of a checked build: dead bytes get a value that differs from task to task."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.emit.names import Names
from tinyml_rules.plan.dead import dead_bytes, dies_in
from tinyml_rules.plan.tasks import Task


def pieces(names: Names) -> tuple[str, ...]:
    """The pieces of emit/runtime that the statements call."""
    if not names.is_checked:
        return ()
    tasks = range(len(names.schedule.tasks))
    if any(True for task in tasks for _ in _dying_rings(names, task)):
        return ("poison_rows",)
    has_dead_bytes = any(dead_bytes(names.schedule, names.plan, task) for task in (-1, *tasks))
    return ("poison",) if has_dead_bytes else ()


def after_task(names: Names, number: int) -> Iterator[str]:
    """What is dead after a task, -1: before the first."""
    if not names.is_checked:
        return
    for each in dead_bytes(names.schedule, names.plan, number):
        address = f"{names.prefix}arena + {each.start}"
        yield f"{names.prefix}poison({address}, {len(each)}, {_value(number)});"


def after_row(names: Names, number: int, place: int) -> Iterator[str]:
    """What is dead of its input after a step of a stream has done a row and counted it."""
    if not names.is_checked or place not in _dying_rings(names, number):
        return
    task = names.schedule.tasks[number]
    ring = task.rings[place]
    place_of = f"{names.address(ring.tensor)}, {ring.capacity}, {ring.row_bytes}"
    needed, made = _first_needed(task, place), f"rows[{place}]"
    yield f"{names.prefix}poison_rows({place_of}, {needed}, {made}, {_value(number)});"


def _dying_rings(names: Names, number: int) -> Iterator[int]:
    """The steps of a stream whose input nobody reads after it."""
    task = names.schedule.tasks[number]
    for place in range(len(task.steps) if task.is_streamed else 0):
        if dies_in(names.plan, task.rings[place].tensor, number):
            yield place


def _first_needed(task: Task, place: int) -> str:
    """The first input row that the step's next output row reads, if there is one."""
    window, counter = task.steps[place].window, f"rows[{place + 1}]"
    if window is None:
        return counter
    top = f"{counter} * {window.stride} - {window.pad_top}"
    return f"{counter} < {window.output_rows} ? {top} : {window.input_rows}"


def _value(number: int) -> int:
    """Not the same as after the task before, and neither of the ends of int8."""
    return (number + 2) * 37 % 251 - 125
