"""The statements of a checked build: dead bytes get a value that differs from task to task."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.emit.names import Names
from tinyml_rules.ir.program import Form, Step
from tinyml_rules.plan.dead import dead_bytes, dies_in
from tinyml_rules.plan.reach import row_inputs
from tinyml_rules.plan.tasks import Task


def pieces(names: Names) -> tuple[str, ...]:
    """The pieces of emit/runtime that the statements call."""
    if not names.is_checked:
        return ()
    tasks = range(len(names.schedule.tasks))
    rings = [
        (number, place)
        for number, task in enumerate(names.schedule.tasks)
        for place in _dying_rings(names, number)
        if task.rings[_input(names, task, place)].capacity
    ]
    found = {"poison" for task in names.schedule.tasks if task.is_streamed and task.workspace}
    found |= {"poison" for task in names.schedule.tasks if task.is_in_pieces}
    found |= {"poison_gap" if _is_passed(names, *ring) else "poison_rows" for ring in rings}
    if any(dead_bytes(names.schedule, names.plan, task) for task in (-1, *tasks)):
        found.add("poison")
    return tuple(sorted(found))


def after_task(names: Names, number: int) -> Iterator[str]:
    """What is dead of the main arena after a task, -1: before the first."""
    if not names.is_checked:
        return
    for each in dead_bytes(names.schedule, names.plan, number):
        address = names.main_address(each.start)
        yield f"{names.prefix}poison({address}, {len(each)}, {_value(number)});"


def after_row(names: Names, number: int, place: int) -> Iterator[str]:
    """What is dead of its input and its scratch memory after a step of a stream has done a row and
    counted it."""
    if not names.is_checked:
        return
    task = names.schedule.tasks[number]
    yield from after_use(names, task, task.steps[place])
    if place not in _dying_rings(names, number):
        return
    ring = task.rings[_input(names, task, place)]
    if ring.strip:  # moved, or taken
        strip = f"{names.shelf_address(task, ring.strip_at)}, {ring.strip_bytes}"
        yield f"{names.prefix}poison({strip}, {_value(number)});"
    if task.is_in_pieces and ring.capacity:
        yield f"if (columns[{place + 1}] == 0) {{"
        yield from (f"    {line}" for line in _after_last_piece(names, number, place))
        yield "}"
    elif ring.capacity:
        yield from _after_last_piece(names, number, place)


def _after_last_piece(names: Names, number: int, place: int) -> Iterator[str]:
    """What is dead of a step's input once it has counted a whole row."""
    task = names.schedule.tasks[number]
    position = _input(names, task, place)
    ring = task.rings[position]
    address, needed = names.address(ring.tensor), _first_needed(names, task, place)
    over = _written_over(names, number, place)
    if _is_passed(names, number, place):
        end = f"({needed}) * {ring.row_bytes}"
        tensor = f"{address}, {ring.size_bytes}"
        yield f"{names.prefix}poison_gap({tensor}, {over}, {end}, {_value(number)});"
        return
    assert ring.gap_bytes == 0, "the bytes of others lie between its rows"
    slots = f"{address}, {ring.capacity}, {ring.row_bytes}, {ring.phase}, {over or 0}"
    made = f"rows[{position}]" + (f" + (columns[{position}] > 0)" if ring.piece else "")
    yield f"{names.prefix}poison_rows({slots}, {needed}, {made}, {_value(number)});"


def _is_passed(names: Names, number: int, place: int) -> bool:
    """Whether what a step of a stream reads is a whole tensor that the stream's result comes to be
    over: its dead bytes are those between what is written and what is still to be read."""
    task = names.schedule.tasks[number]
    ring = task.rings[_input(names, task, place)]
    return ring.is_whole and _written_over(names, number, place) is not None


def after_use(names: Names, task: Task, step: Step) -> Iterator[str]:
    """The scratch memory of a step of a stream, which is dead after each row, or after those that
    are made at a time."""
    if names.is_checked and task.is_in_pieces and step.scratch:
        at = task.results[task.steps.index(step)].scratch_at
        place, size = names.shelf_address(task, at), step.scratch[0].size_bytes
        yield f"{names.prefix}poison({place}, {size}, {_value(names.schedule.tasks.index(task))});"
    pairs = zip(task.workspace_of(step), step.scratch, strict=not task.is_in_pieces)
    for buffer, each in pairs if names.is_checked else ():
        size = names.schedule.program.buffers[buffer].size_bytes
        value = _value(names.schedule.tasks.index(task))
        poison = f"{names.prefix}poison({names.buffer_address(buffer)}, {size}, {value});"
        made = f"rows[{len(task.sources) + task.steps.index(step)}]"
        is_dead = f"if ({made} % {step.kernel.rows_at_once} == 0) " if each.is_kept else ""
        yield f"{is_dead}{poison}"


def _written_over(names: Names, number: int, place: int) -> str | None:
    """How many bytes of what a step of a stream reads are under the stream's result by now, as C
    text that may be negative; None where the result is elsewhere."""
    task, plan = names.schedule.tasks[number], names.plan
    source, result = task.rings[_input(names, task, place)], task.results[-1]
    distance = plan.offsets[source.tensor] - plan.offsets[result.tensor]
    is_together = plan.region(source.tensor) == plan.region(result.tensor)
    is_over = is_together and -source.size_bytes < distance < result.size_bytes
    if source not in task.sources or not is_over:
        return None
    if task.steps[-1].kernel.form is Form.ROWS:  # written once all has been read
        return "0"
    # what the step has made may be in the result's slots, before the result's row is counted
    written = len(task.sources) + place if _is_inside(task, place) else len(task.rings) - 1
    rows = f"(rows[{written}] + 1)" if task.is_in_pieces else f"rows[{written}]"
    return f"{rows} * {result.row_bytes} - {distance}"


def _is_inside(task: Task, place: int) -> bool:
    """Whether a step's rows are in the slots of the stream's result."""
    ring = task.results[place]
    while ring.inside is not None:
        ring = task.rings[task.position(ring.inside)]
    return ring is task.results[-1]


def _input(names: Names, task: Task, place: int) -> int:
    """The position of the ring that a step reads row by row, where that is one."""
    return task.position(names.schedule.program.buffer_of(row_inputs(task.steps[place])[0]))


def _dying_rings(names: Names, number: int) -> Iterator[int]:
    """The steps of a stream that alone read their only input, which nobody reads after it, and make
    their own rows elsewhere."""
    task = names.schedule.tasks[number]
    if number == 0 and names.schedule.slide is not None:  # its rings are full, or free altogether
        return
    buffer_of = names.schedule.program.buffer_of
    read = [buffer_of(tensor) for step in task.steps for tensor in step.inputs]
    for place in range(len(task.steps) if task.is_streamed else 0):
        if place in task.guests:  # its own row takes those bytes
            continue
        tensor = buffer_of(row_inputs(task.steps[place])[0])
        is_alone = read.count(tensor) == 1 and len(row_inputs(task.steps[place])) == 1
        if is_alone and dies_in(names.plan, tensor, number):
            yield place


def _first_needed(names: Names, task: Task, place: int) -> str:
    """The first input row that the step's next output row reads, if there is one."""
    step, counter = task.steps[place], f"rows[{len(task.sources) + place}]"
    if step.window is None or step.kernel.form is not Form.WINDOW:
        return counter
    top = f"{counter} * {step.window.stride} - {step.window.pad_top}"
    if step.window.divisor is not None:
        top = f"{names.prefix}first_row({names.node(step)}.window, {counter})"
    return f"{counter} < {step.window.output_rows} ? {top} : {step.window.input_rows}"


def _value(number: int) -> int:
    """Not the same as after the task before, and neither of the ends of int8."""
    return (number + 2) * 37 % 251 - 125
