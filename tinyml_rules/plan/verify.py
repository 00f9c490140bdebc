"""Proof of a memory plan, written apart from the planner: it replays the schedule byte by byte.

Every byte of every arena remembers which row of which tensor wrote it last.  A task is replayed in
the order in which its kernels walk, unit by unit or row by row: what is read must be as it was
written, and what is written must not be what the same unit or row still reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.program import Form, Program, Step, Window
from tinyml_rules.plan.memory_plan import MAIN, MemoryPlan
from tinyml_rules.plan.streams import DryRun, rows_read
from tinyml_rules.plan.tasks import Ring, Schedule, Task

_NOBODY = -1
_ALL_ROWS = -1


@dataclass(frozen=True)
class Access:
    """Byte ranges, from each tensor's first byte: what is read of every input, what is written."""

    reads: tuple[slice, ...]
    write: slice


class _Arena:
    """Who wrote each byte of each region: the tensor, and the row where that matters."""

    def __init__(self, schedule: Schedule, plan: MemoryPlan) -> None:
        self._plan = plan
        self._program = schedule.program
        self._sizes = {MAIN: plan.arena_bytes, **plan.region_bytes}
        self._tensor = {name: np.full(size, _NOBODY) for name, size in self._sizes.items()}
        self._row = {name: np.full(size, _ALL_ROWS) for name, size in self._sizes.items()}

    def whole(self, tensor: int) -> slice:
        return slice(0, self._program.graph.tensors[tensor].count)

    def write(self, tensor: int, part: slice, row: int = _ALL_ROWS) -> None:
        region, place = self._place(tensor, part)
        self._tensor[region][place] = self._program.storage(tensor)
        self._row[region][place] = row

    def check(self, tensor: int, part: slice, row: int = _ALL_ROWS) -> None:
        """Assert that the bytes still are what was written there."""
        region, place = self._place(tensor, part)
        intact = (self._tensor[region][place] == self._program.storage(tensor)).all()
        assert intact, f"tensor {tensor} was overwritten"
        if row != _ALL_ROWS:
            rows = self._row[region][place]
            intact = ((rows == row) | (rows == _ALL_ROWS)).all()
            assert intact, f"row {row} of tensor {tensor} was overwritten"

    def _place(self, tensor: int, part: slice) -> tuple[str, slice]:
        stored = self._program.storage(tensor)
        region, begin = self._plan.region(stored), self._plan.offsets[stored]
        place = slice(begin + part.start, begin + part.stop)
        first = self._plan.state_bytes if region == MAIN else 0
        inside = place.start >= first and place.stop <= self._sizes[region]
        assert inside, f"tensor {tensor} leaves the arena"
        return region, place


def verify_plan(schedule: Schedule, plan: MemoryPlan) -> None:
    """Assert that every read finds, and the caller finds in the outputs, what was written."""
    arena = _Arena(schedule, plan)
    program = schedule.program
    if not schedule.is_pushed:
        for tensor in program.graph.inputs:
            arena.write(tensor, arena.whole(tensor))
    for number, task in enumerate(schedule.tasks):
        if task.is_streamed:
            is_pushed = schedule.is_pushed and number == 0
            _replay_stream(arena, task, program, is_pushed=is_pushed)
        else:
            is_descending = number in plan.descending
            _replay_step(arena, task.steps[0], program, is_descending=is_descending)
    for tensor in program.graph.outputs:
        arena.check(tensor, arena.whole(tensor))


def _replay_step(arena: _Arena, step: Step, program: Program, *, is_descending: bool) -> None:
    for access in _accesses(program, step, is_descending=is_descending):
        parts = list(zip(step.inputs, access.reads, strict=True))
        for tensor, part in parts:
            arena.check(tensor, part)
        arena.write(step.output, access.write)
        for tensor, part in () if step.kernel.is_in_place else parts:
            arena.check(tensor, part)
    arena.check(step.output, arena.whole(step.output))


def _replay_stream(arena: _Arena, task: Task, program: Program, *, is_pushed: bool) -> None:
    """Row after row in the order of the generated code, every ring where the plan has it."""
    run = DryRun(task, program, is_pushed=is_pushed)
    while (position := run.next_ring()) is not None:
        if position < len(task.sources):
            ring = task.rings[position]
            arena.write(ring.tensor, _slot(ring, run.made[position]), run.made[position])
        else:
            _replay_row(arena, task, run, position - len(task.sources))
        run.made[position] += 1
    for place in range(len(task.steps)):
        assert run.made[run.output(place)] == run.turns(place), "the stream stands still"
    if task.steps[-1].kernel.form is Form.ROWS:
        arena.write(task.steps[-1].output, arena.whole(task.steps[-1].output))


def _replay_row(arena: _Arena, task: Task, run: DryRun, place: int) -> None:
    step, row = task.steps[place], run.made[run.output(place)]
    reads = [
        (task.rings[ring], read) for ring in run.inputs(place) for read in rows_read(step, row)
    ]
    for ring, read in reads:
        arena.check(ring.tensor, _slot(ring, read), read)
    if step.kernel.form is not Form.ROWS:
        result = task.rings[run.output(place)]
        arena.write(result.tensor, _slot(result, row), row)
    for ring, read in reads:
        arena.check(ring.tensor, _slot(ring, read), read)


def _slot(ring: Ring, row: int) -> slice:
    return _unit(ring.row_bytes, row % ring.capacity)


def _accesses(program: Program, step: Step, *, is_descending: bool) -> Iterator[Access]:
    """What the kernel reads and writes, in its order."""
    inputs = [program.graph.tensors[tensor].count for tensor in step.inputs]
    output = program.graph.tensors[step.output].count
    if step.kernel.form is Form.WINDOW:
        assert step.window is not None
        yield from _rows(step.window, is_descending=is_descending)
    elif step.kernel.form is Form.POINTWISE:
        yield from _units(step, inputs, output, is_descending=is_descending)
    else:
        assert not is_descending
        yield Access(tuple(slice(0, count) for count in inputs), slice(0, output))


def _units(step: Step, inputs: list[int], output: int, *, is_descending: bool) -> Iterator[Access]:
    chunk = step.chunk if is_descending else step.units
    starts = range(0, step.units, chunk)
    for start in reversed(starts) if is_descending else starts:
        for unit in range(start, start + chunk):
            yield Access(
                tuple(_unit(count // step.units, unit) for count in inputs),
                _unit(output // step.units, unit),
            )


def _unit(size_bytes: int, number: int) -> slice:
    return slice(number * size_bytes, (number + 1) * size_bytes)


def _rows(window: Window, *, is_descending: bool) -> Iterator[Access]:
    input_bytes = window.input_rows * window.input_row_bytes
    for batch in range(window.batches):
        rows = range(window.output_rows)
        for y in reversed(rows) if is_descending else rows:
            top = y * window.stride - window.pad_top
            taps = [top + i * window.dilation for i in range(window.height)]
            inside = [tap for tap in taps if 0 <= tap < window.input_rows]
            first, end = (inside[0], inside[-1] + 1) if inside else (0, 0)
            begin = batch * input_bytes + first * window.input_row_bytes
            yield Access(
                (slice(begin, begin + (end - first) * window.input_row_bytes),),
                _unit(window.output_row_bytes, batch * window.output_rows + y),
            )
