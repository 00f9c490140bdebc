"""Proof of a memory plan, written apart from the planner: it replays the schedule task by task.

The arenas remember which tensor wrote them last.  Where a step's output lies over one of its
inputs, the step is replayed in the order in which its kernel walks, unit by unit or row by row:
what it reads must be as it was written, and what it writes must not be what the same unit or row
still reads.  That replay is arithmetic on whole arrays, because a file may ask for millions of
units.  In a stream every ring has bytes of its own, and is replayed slot by slot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.program import Form, Program, Step, Window
from tinyml_rules.plan.memory_plan import MAIN, MemoryPlan
from tinyml_rules.plan.streams import DryRun, rows_read
from tinyml_rules.plan.tasks import Ring, Schedule, Task

_NOBODY = -1

Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Walk:
    """Byte ranges in the order of the walk, from the tensor's first byte: shape (moments, 2).

    `reads` has an array for every input.  A range that begins where it ends is empty.
    """

    reads: tuple[Int64Array, ...]
    writes: Int64Array


class _Arenas:
    """Who wrote what last, in every region.  Nobody owns half of a piece between two cuts."""

    def __init__(self, schedule: Schedule, plan: MemoryPlan) -> None:
        self._plan = plan
        self._program = schedule.program
        self._sizes = {lifetime.tensor: lifetime.size_bytes for lifetime in plan.lifetimes}
        places = [self.place(tensor) for tensor in self._sizes]
        self._cuts = {
            name: np.array(
                sorted({cut for region, *cuts in places if region == name for cut in cuts})
            )
            for name in (MAIN, *plan.region_bytes)
        }
        self._owner = {name: np.full(len(cuts), _NOBODY) for name, cuts in self._cuts.items()}

    def place(self, tensor: int) -> tuple[str, int, int]:
        """(region, first byte, byte after the last) of a tensor, or of the ring of its rows."""
        stored = self._program.storage(tensor)
        region, begin = self._plan.region(stored), self._plan.offsets[stored]
        end = begin + self._sizes[stored]
        first = self._plan.state_bytes if region == MAIN else 0
        size = {MAIN: self._plan.arena_bytes, **self._plan.region_bytes}[region]
        assert first <= begin and end <= size, f"tensor {tensor} leaves the arena"
        return region, begin, end

    def write(self, tensor: int) -> None:
        region, pieces = self._pieces(tensor)
        self._owner[region][pieces] = self._program.storage(tensor)

    def check(self, tensor: int) -> None:
        """Assert that the bytes still are what was written there."""
        region, pieces = self._pieces(tensor)
        intact = (self._owner[region][pieces] == self._program.storage(tensor)).all()
        assert intact, f"tensor {tensor} was overwritten"

    def _pieces(self, tensor: int) -> tuple[str, slice]:
        region, *place = self.place(tensor)
        begin, end = np.searchsorted(self._cuts[region], place)
        return region, slice(int(begin), int(end))


def verify_plan(schedule: Schedule, plan: MemoryPlan) -> None:
    """Assert that every read finds, and the caller finds in the outputs, what was written."""
    arenas = _Arenas(schedule, plan)
    program = schedule.program
    if not schedule.is_pushed:
        for tensor in program.graph.inputs:
            arenas.write(tensor)
    for number, task in enumerate(schedule.tasks):
        if task.is_streamed:
            _verify_stream(arenas, task, program, is_pushed=schedule.is_pushed and number == 0)
        else:
            is_descending = number in plan.descending
            _verify_step(arenas, task.steps[0], program, is_descending=is_descending)
    for tensor in program.graph.outputs:
        arenas.check(tensor)


def _verify_step(arenas: _Arenas, step: Step, program: Program, *, is_descending: bool) -> None:
    for tensor in step.inputs:
        arenas.check(tensor)
    region, *target = arenas.place(step.output)
    # memory regions are apart: elsewhere nothing can overlap
    nowhere = (-1, -1)
    places = [arenas.place(tensor) for tensor in step.inputs]
    sources = [(place[1], place[2]) if place[0] == region else nowhere for place in places]
    _check_overlaps(program, step, sources, (target[0], target[1]), is_descending=is_descending)
    arenas.write(step.output)


def _verify_stream(arenas: _Arenas, task: Task, program: Program, *, is_pushed: bool) -> None:
    """Every ring apart from the others, and every row read before its slot is used again."""
    for ring in task.sources if not is_pushed else ():
        arenas.check(ring.tensor)
    for ring in task.rings if is_pushed else task.results:
        arenas.write(ring.tensor)
    for ring in task.rings:
        arenas.check(ring.tensor)  # none of the others lies over it
    _replay_rings(task, program, is_pushed=is_pushed)


def _replay_rings(task: Task, program: Program, *, is_pushed: bool) -> None:
    """Row after row in the order of the generated code; each slot remembers its row."""
    run = DryRun(task, program, is_pushed=is_pushed)
    slots = [_first_rows(ring, made) for ring, made in zip(task.rings, run.made, strict=False)]
    while (position := run.next_ring()) is not None:
        place = position - len(task.sources)
        row = run.made[position]
        if place >= 0:
            for ring in run.inputs(place):
                for read in rows_read(task.steps[place], row):
                    is_there = slots[ring][read % task.rings[ring].capacity] == read
                    assert is_there, f"row {read} of tensor {task.rings[ring].tensor} is gone"
        if place < 0 or task.steps[place].kernel.form is not Form.ROWS:
            slots[position][row % task.rings[position].capacity] = row
        run.made[position] += 1
    for place in range(len(task.steps)):
        assert run.made[run.output(place)] == run.turns(place), "the stream stands still"


def _first_rows(ring: Ring, made: int) -> list[int]:
    """The rows in each slot of a ring before the stream runs: all of a whole source, else none."""
    return list(range(ring.rows)) if made else [_NOBODY] * ring.capacity


def _check_overlaps(
    program: Program,
    step: Step,
    sources: Sequence[tuple[int, int]],
    target: tuple[int, int],
    *,
    is_descending: bool,
) -> None:
    """Assert that the step writes no byte of an input before its last use; places in the arena."""
    overlapping = [begin < target[1] and target[0] < end for begin, end in sources]
    if not any(overlapping):
        return
    walk = _walk(program, step, is_descending=is_descending)
    sizes = walk.writes[:, 1] - walk.writes[:, 0]
    moments = np.arange(len(sizes))
    # the byte after the last is never written; reduceat needs it
    written_at = np.full(target[1] - target[0] + 1, len(moments))
    order = np.argsort(walk.writes[:, 0])
    written_at[:-1] = np.repeat(moments[order], sizes[order])
    for tensor, (begin, _), is_over, reads in zip(
        step.inputs, sources, overlapping, walk.reads, strict=True
    ):
        if not is_over:
            continue
        inside = np.clip(reads + begin - target[0], 0, len(written_at) - 1)
        earliest = np.minimum.reduceat(written_at, inside.reshape(-1))[::2]
        earliest[inside[:, 0] == inside[:, 1]] = len(moments)
        is_late = earliest >= moments if step.kernel.is_in_place else earliest > moments
        assert is_late.all(), f"tensor {tensor} is overwritten before it was read"


def _walk(program: Program, step: Step, *, is_descending: bool) -> Walk:
    """What the kernel reads and writes, in its order."""
    inputs = [program.graph.tensors[tensor].count for tensor in step.inputs]
    output = program.graph.tensors[step.output].count
    if step.kernel.form is Form.WINDOW:
        assert step.window is not None
        return _rows(step.window, is_descending=is_descending)
    if step.kernel.form is Form.POINTWISE:
        return _units(step, inputs, output, is_descending=is_descending)
    assert not is_descending
    return Walk(tuple(np.array([[0, count]]) for count in inputs), np.array([[0, output]]))


def _units(step: Step, inputs: Sequence[int], output: int, *, is_descending: bool) -> Walk:
    units = np.arange(step.units)
    if is_descending:
        units = units.reshape(-1, step.chunk)[::-1].reshape(-1)
    return Walk(
        tuple(_ranges(units, count // step.units) for count in inputs),
        _ranges(units, output // step.units),
    )


def _ranges(numbers: Int64Array, size_bytes: int) -> Int64Array:
    """The bytes of each unit or row by its number."""
    return np.stack([numbers * size_bytes, (numbers + 1) * size_bytes], axis=1)


def _rows(window: Window, *, is_descending: bool) -> Walk:
    y = np.arange(window.output_rows)
    if is_descending:
        y = y[::-1]
    top = y * window.stride - window.pad_top
    # the first and the last tap inside the image
    first_tap = np.maximum(-(top // window.dilation), 0)
    last_tap = np.minimum((window.input_rows - 1 - top) // window.dilation, window.height - 1)
    is_inside = first_tap <= last_tap
    first = np.where(is_inside, top + first_tap * window.dilation, 0)
    end = np.where(is_inside, top + last_tap * window.dilation + 1, 0)
    batch = np.repeat(np.arange(window.batches), window.output_rows)[:, None]
    reads = np.stack([first, end], axis=1) * window.input_row_bytes
    reads = np.tile(reads, (window.batches, 1))
    reads = reads + batch * (window.input_rows * window.input_row_bytes)
    rows = np.tile(y, window.batches) + batch[:, 0] * window.output_rows
    return Walk((reads,), _ranges(rows, window.output_row_bytes))
