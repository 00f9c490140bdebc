"""Proof of a memory plan, independent of the planner: it replays the schedule task by task.

The arenas record for every byte which byte of which tensor was written there last.  Every read
has to find its own: a layer all bytes of its inputs, a stage of a stream the rows that its next
row needs, and at the end the caller every byte of every output.
"""

from __future__ import annotations

from tinyml_rules.ir.buffers import Life, living
from tinyml_rules.ir.program import Program, Step
from tinyml_rules.plan.contents import Arenas
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.tasks import Schedule
from tinyml_rules.plan.verify_group import verify_group
from tinyml_rules.plan.verify_layer import verify_layer
from tinyml_rules.plan.verify_pieces import verify_pieces
from tinyml_rules.plan.verify_slide import verify_slide
from tinyml_rules.plan.verify_stream import verify_stream


def verify_plan(schedule: Schedule, plan: MemoryPlan) -> None:
    """Assert that every read finds, and the caller finds in the outputs, what was written."""
    program = schedule.program
    _verify_schedule(schedule)
    for step in program.steps:
        if step.inner:
            verify_group(program, step)
    arenas = Arenas(program, plan)
    inputs = () if schedule.is_pushed else program.graph.inputs
    variables = [program.buffers[buffer].tensor for buffer in program.variables]
    given = [tensor for tensor in (*inputs, *variables) if tensor is not None]
    unnamed = [each for each in program.variables if program.buffers[each].tensor is None]
    for buffer in unnamed:
        arenas.write_scratch(buffer)
    for tensor in given:
        arenas.write_whole(tensor)
    for buffer in living(program.buffers, Life.INPUTS):  # before the last of the inputs is complete
        arenas.write_scratch(buffer)
    for tensor in given:  # the caller fills them in any order
        arenas.check_whole(tensor)
    if schedule.slide is not None:
        verify_slide(arenas, schedule, lambda: _verify_rest(arenas, schedule, plan))
    else:
        _verify_tasks(arenas, schedule, plan)
        for kept in (*program.graph.outputs, *variables):
            if kept is not None:
                arenas.check_whole(kept)
    for buffer in unnamed:
        arenas.check_scratch(buffer)


def _verify_rest(arenas: Arenas, schedule: Schedule, plan: MemoryPlan) -> None:
    """What runs once a window, after its stream."""
    _verify_tasks(arenas, schedule, plan, first=1)
    for output in schedule.program.graph.outputs:
        arenas.check_whole(output)


def _verify_tasks(arenas: Arenas, schedule: Schedule, plan: MemoryPlan, *, first: int = 0) -> None:
    program = schedule.program
    for number, task in enumerate(schedule.tasks):
        if number < first:
            continue
        if task.is_streamed:
            is_pushed = schedule.is_pushed and number == 0
            proof = verify_pieces if task.is_in_pieces else verify_stream
            proof(arenas, task, program, is_pushed=is_pushed)
        else:
            is_descending = number in plan.descending
            _verify_layer(arenas, task.steps[0], program, is_descending=is_descending)


def _verify_schedule(schedule: Schedule) -> None:
    """Assert that every step runs once, in the program's order, and that tasks of several have
    rings."""
    run = [step.name for task in schedule.tasks for step in task.steps]
    assert run == [step.name for step in schedule.program.steps], "steps and tasks differ"
    for task in schedule.tasks:
        assert len(task.steps) == 1 or task.is_streamed
        assert not task.is_streamed or len(task.results) == len(task.steps)


def _verify_layer(arenas: Arenas, step: Step, program: Program, *, is_descending: bool) -> None:
    tensors = program.graph.tensors
    for buffer in step.workspace:
        arenas.write_scratch(buffer)
    changed = [each for each in step.outputs if program.buffer_of(each) in program.variables]
    for tensor in (*step.inputs, *changed):  # what a variable had is read when it is changed
        arenas.check_whole(tensor)
    places = [arenas.place(tensor, 0, tensors[tensor].size_bytes) for tensor in step.inputs]
    for tensor in step.outputs:
        region, target, _ = arenas.place(tensor, 0, tensors[tensor].size_bytes)
        sources = [begin if place == region else None for place, begin, _ in places]
        verify_layer(program, step, tensor, sources, target, is_descending=is_descending)
    for tensor in step.outputs:
        arenas.write_whole(tensor)
    for tensor in step.outputs:
        arenas.check_whole(tensor)
    for buffer in step.workspace:
        arenas.check_scratch(buffer)
