"""Refuses a model whose generated code would count beyond C's `int` on the target.

That is 32,767 on AVR.  Sizes and indices are `int` there for speed, so each number that the C text
contains or computes is bounded here, before it is generated; sums and multipliers are int32
everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.errors import Problem, UnsupportedError
from tinyml_rules.ir.c_struct import members
from tinyml_rules.ir.program import Form, Step
from tinyml_rules.plan.reach import row_inputs
from tinyml_rules.plan.tasks import Schedule, Task
from tinyml_rules.target.target import Target

Demand = tuple[str, int]
"""A description of what is counted, and its largest value."""


def check_int_range(schedule: Schedule, target: Target) -> None:
    """Raise UnsupportedError for each step that counts too far, with the first such number."""
    graph = schedule.program.graph
    problems = []
    for task in schedule.tasks:
        for step in task.steps:
            demands = (*_of_tensors(schedule, task, step), *_of_window(schedule, step))
            for what, number in (*demands, *_of_members(step.params), *_of_tables(step)):
                if number > target.int_max:
                    limit = f"{target.int_max}, the most that an `int` of '{target.name}' holds"
                    text = f"{what} {number}, expected at most {limit}"
                    problems.append(Problem(graph.where(step.node), text))
                    break
    if problems:
        raise UnsupportedError(problems)


def _of_tensors(schedule: Schedule, task: Task, step: Step) -> Iterator[Demand]:
    """Sizes of whole tensors, rings, and pieces, which are counted in values."""
    program = schedule.program
    for index in step.tensors:
        tensor = program.graph.tensors[index]
        size = tensor.size_bytes
        is_in_rows = step.kernel.form is not Form.ROWS and index in (
            *row_inputs(step),
            *step.outputs,
        )
        if task.is_streamed and is_in_rows:
            size = task.rings[task.position(program.buffer_of(index))].size_bytes
        yield f"the bytes of tensor {tensor} that are walked over are", size


def _of_window(schedule: Schedule, step: Step) -> Iterator[Demand]:
    """Rows and columns before, in and after the image, and the number that a kernel lists."""
    if step.window is None or step.columns is None:
        return
    rows, columns = step.window.rows, step.columns
    tensor = schedule.program.graph.tensors[step.inputs[0]]
    yield f"a window over tensor {tensor} counts columns to", columns.furthest * columns.input_bytes
    before = abs(rows.pad_before) // rows.divisor
    yield f"a window over tensor {tensor} counts rows to", rows.last_end + before
    yield f"a window over tensor {tensor} counts rows to", rows.inputs + rows.dilation
    yield f"a window over tensor {tensor} has taps:", step.patch


def _of_members(params: object) -> Iterator[Demand]:
    """The members of a kernel's struct, and of the structs in it, that C declares as `int`."""
    for member in members(params):
        if member.is_struct:
            yield from _of_members(member.value)
        elif member.c_type == "int":
            yield f"'{member.name}' is", abs(member.value)


def _of_tables(step: Step) -> Iterator[Demand]:
    """Arrays of C, whose bytes `int` has to count; far weights are not arrays."""
    for name, table in step.tables.items():
        if not table.is_far:
            yield f"the bytes of its table '{name}' are", table.values.nbytes
