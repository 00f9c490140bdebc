"""Proof of a memory plan, written apart from the planner: it replays the schedule byte by byte.

Every byte of an arena remembers which row of which tensor wrote it last.  A task is replayed in the
order in which its kernels walk, unit by unit or row by row: what is read must be as it was written,
and what is written must not be what the same unit or row still reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tinyml_rules.ir.program import Form, Program, Step, Window
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.tasks import Ring, Schedule, Task

_NOBODY = -1
_ALL_ROWS = -1


@dataclass(frozen=True)
class Access:
    """Byte ranges, from each tensor's first byte: what is read of every input, what is written."""

    reads: tuple[slice, ...]
    write: slice


class _Arena:
    """Who wrote each byte: the tensor, and the row where that matters."""

    def __init__(self, schedule: Schedule, plan: MemoryPlan) -> None:
        self._plan = plan
        self._program = schedule.program
        self._tensor = np.full(plan.arena_bytes, _NOBODY)
        self._row = np.full(plan.arena_bytes, _ALL_ROWS)

    def whole(self, tensor: int) -> slice:
        return slice(0, self._program.graph.tensors[tensor].count)

    def write(self, tensor: int, part: slice, row: int = _ALL_ROWS) -> None:
        place = self._place(tensor, part)
        self._tensor[place] = self._program.storage(tensor)
        self._row[place] = row

    def check(self, tensor: int, part: slice, row: int = _ALL_ROWS) -> None:
        """Assert that the bytes still are what was written there."""
        place = self._place(tensor, part)
        intact = (self._tensor[place] == self._program.storage(tensor)).all()
        assert intact, f"tensor {tensor} was overwritten"
        if row != _ALL_ROWS:
            rows = self._row[place]
            intact = ((rows == row) | (rows == _ALL_ROWS)).all()
            assert intact, f"row {row} of tensor {tensor} was overwritten"

    def is_apart(self, step: Step) -> bool:
        """Each input lies outside the output, or exactly under it if the kernel works in place."""
        result = self._place(step.output, self.whole(step.output))
        sources = [self._place(tensor, self.whole(tensor)) for tensor in step.inputs]
        return all(
            source.stop <= result.start
            or result.stop <= source.start
            or (step.kernel.is_in_place and source == result)
            for source in sources
        )

    def _place(self, tensor: int, part: slice) -> slice:
        begin = self._plan.offsets[self._program.storage(tensor)]
        place = slice(begin + part.start, begin + part.stop)
        inside = place.start >= 0 and place.stop <= self._plan.arena_bytes
        assert inside, f"tensor {tensor} leaves the arena"
        return place


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
            _replay_stream(arena, task, is_pushed=is_pushed)
        else:
            is_descending = number in plan.descending
            _replay_step(arena, task.steps[0], program, is_descending=is_descending)
    for tensor in program.graph.outputs:
        arena.check(tensor, arena.whole(tensor))


def _replay_step(arena: _Arena, step: Step, program: Program, *, is_descending: bool) -> None:
    if step.kernel.form is Form.POINTWISE and arena.is_apart(step):
        # no unit that is written meets one that is still read, so their order does not matter
        step = replace(step, units=1, chunk=1)
    for access in _accesses(program, step, is_descending=is_descending):
        parts = list(zip(step.inputs, access.reads, strict=True))
        for tensor, part in parts:
            arena.check(tensor, part)
        arena.write(step.output, access.write)
        for tensor, part in () if step.kernel.is_in_place else parts:
            arena.check(tensor, part)
    arena.check(step.output, arena.whole(step.output))


def _replay_stream(arena: _Arena, task: Task, *, is_pushed: bool) -> None:
    """The last step that can run a row goes first, as in the generated code."""
    source = task.rings[0]
    done = [0 if is_pushed else source.rows, *[0] * len(task.steps)]
    while done[-1] < _turns(task, len(task.steps) - 1):
        ready = [place for place in range(len(task.steps)) if _can_run(task, place, done)]
        if ready:
            _run_row(arena, task, ready[-1], done)
            continue
        assert is_pushed and done[0] < source.rows, "the stream stands still"
        arena.write(source.tensor, _slot(source, done[0]), done[0])
        done[0] += 1
    if task.steps[-1].kernel.form is Form.ROWS:
        arena.write(task.steps[-1].output, arena.whole(task.steps[-1].output))


def _turns(task: Task, place: int) -> int:
    """How often a step runs: once an output row, or once a piece of its input."""
    is_in_pieces = task.steps[place].kernel.form is Form.ROWS
    return task.rings[place if is_in_pieces else place + 1].rows


def _can_run(task: Task, place: int, done: list[int]) -> bool:
    if done[place + 1] >= _turns(task, place):
        return False
    needed = _rows_read(task, place, done[place + 1])
    return not needed or needed[-1] < done[place]


def _rows_read(task: Task, place: int, row: int) -> range:
    """The input rows behind output row `row` of a step."""
    window = task.steps[place].window
    if window is None:
        return range(row, row + 1)
    top = row * window.stride - window.pad_top
    bottom = top + (window.height - 1) * window.dilation
    return range(max(top, 0), min(bottom, window.input_rows - 1) + 1)


def _run_row(arena: _Arena, task: Task, place: int, done: list[int]) -> None:
    source, result = task.rings[place], task.rings[place + 1]
    row = done[place + 1]
    reads = _rows_read(task, place, row)
    for read in reads:
        arena.check(source.tensor, _slot(source, read), read)
    if task.steps[place].kernel.form is not Form.ROWS:
        arena.write(result.tensor, _slot(result, row), row)
    for read in reads:
        arena.check(source.tensor, _slot(source, read), read)
    done[place + 1] += 1


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
