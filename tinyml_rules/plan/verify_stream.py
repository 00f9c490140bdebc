"""Proof of a streamed task: its rows in the order of the generated code, each at its address.

It simulates what the C does, independent of the planner: the last stage whose rows are there runs;
it collects the rows of its window from their slots and writes one row.  Every row that is read has
to be in its slot as it was written, whichever tensors share those bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tinyml_rules.ir.buffers import Life, living
from tinyml_rules.ir.program import Form, Program, Step
from tinyml_rules.plan.contents import Arenas
from tinyml_rules.plan.tasks import Ring, Task
from tinyml_rules.plan.verify_layer import check_apart, keeps_sums, taps


@dataclass(frozen=True)
class _Stage:
    """A step with the positions of its rings, and the buffers with their bytes that each turn reads
    all of; `turns`: how often it runs."""

    step: Step
    reads: tuple[int, ...]
    shared: tuple[tuple[int, int], ...]
    writes: int
    turns: int

    def rows(self, row: int) -> range:
        """The input rows inside the image that an output row needs."""
        every = taps(self.step, row)
        above = max(-(every.start // every.step), 0)
        return range(every.start + above * every.step, self._end(every.stop), every.step)

    def needed(self, row: int) -> int:
        """Number of input rows that the code waits for."""
        return self._end(taps(self.step, row)[-1] + 1)

    def _end(self, row: int) -> int:
        window = self.step.window
        is_window = self.step.kernel.form is Form.WINDOW
        return min(row, window.input_rows) if is_window and window is not None else row


def verify_stream(arenas: Arenas, task: Task, program: Program, *, is_pushed: bool) -> None:
    """Assert that every row is there when it is read, and that all rows get made."""
    replay = _Replay(arenas, task, program, is_pushed=is_pushed)
    replay.run()
    for stage, done in zip(replay.stages, replay.done, strict=True):
        assert done == stage.turns, "the stream stands still"
    last = task.results[-1]
    if keeps_sums(task.steps[-1]):  # the sums become the only row once all pieces were taken
        arenas.write(last.tensor, 0, 0, last.row_bytes)


class _Replay:
    """`made` counts the rows of each ring, `done` the turns of each stage."""

    def __init__(self, arenas: Arenas, task: Task, program: Program, *, is_pushed: bool) -> None:
        self._arenas = arenas
        self._rings = task.rings
        self._is_pushed = is_pushed
        self._makers = living(program.buffers, Life.INPUTS) if is_pushed else ()
        position = {ring.tensor: number for number, ring in enumerate(self._rings)}
        self.stages = tuple(_stage(step, position, self._rings, program) for step in task.steps)
        self._scratch = [
            [
                (buffer, each.size_bytes, step.kernel.rows_at_once if each.is_kept else 1)
                for buffer, each in zip(task.workspace_of(step), step.scratch, strict=True)
            ]
            for step in task.steps
        ]
        """By stage: its buffers of scratch memory, the bytes of each that it writes, and in how
        many turns it does so once and finds them in the others."""
        self.made = [0 if is_pushed else ring.rows for ring in task.sources]
        self.made += [0] * len(task.steps)
        self.done = [0] * len(task.steps)
        self._top_reader = [-1] * len(self._rings)
        for number, stage in enumerate(self.stages):
            for ring in stage.reads:
                self._top_reader[ring] = number

    def run(self) -> None:
        """Run to the end.  After a row only its readers and the stages before them can be ready."""
        number = len(self.stages) - 1
        while True:
            while number >= 0 and not self._is_ready(number):
                number -= 1
            if number >= 0:
                grown = self._turn(number)
            elif self._is_pushed and self.made[0] < self._rings[0].rows:
                grown = 0
                for buffer in self._makers:  # of what makes the row
                    self._arenas.write_scratch(buffer)
                self._write_row(grown)
            else:
                return
            number = max(number, self._top_reader[grown])

    def _is_ready(self, number: int) -> bool:
        stage, row = self.stages[number], self.done[number]
        if row >= stage.turns:
            return False
        needed = stage.needed(row)
        return all(needed <= self.made[ring] for ring in stage.reads)

    def _turn(self, number: int) -> int:
        """One turn of a stage; returns the ring that it writes."""
        stage = self.stages[number]
        scratch = self._scratch[number]
        row = self.done[number]
        for buffer, size, turns in scratch:  # before it reads: what is there may be nobody's row
            if row % turns == 0:
                self._arenas.write_as(buffer, 0, size, buffer, row)
        rows = stage.rows(row)
        for position in dict.fromkeys(stage.reads):
            ring = self._rings[position]
            for slot, first, end in _side_by_side(ring, rows):
                begin, stop = first * ring.row_bytes, end * ring.row_bytes
                self._arenas.check(ring.tensor, slot * ring.slot_bytes, begin, stop)
                if not keeps_sums(stage.step):
                    self._check_apart(stage, ring.tensor, slot * ring.slot_bytes, stop - begin)
        for tensor, size in stage.shared:
            self._arenas.check(tensor, 0, 0, size)
            self._check_apart(stage, tensor, 0, size, is_whole=True)
        self.done[number] += 1
        if not keeps_sums(stage.step):
            self._write_row(stage.writes)
        for buffer, size, turns in scratch:
            self._arenas.check_as(buffer, 0, size, buffer, row - row % turns)
        return stage.writes

    def _check_apart(
        self, stage: _Stage, tensor: int, first: int, size: int, *, is_whole: bool = False
    ) -> None:
        """Assert this of the row that a stage writes, and bytes that it reads for it."""
        ring = self._rings[stage.writes]
        slot = _slot(ring, self.made[stage.writes]) * ring.slot_bytes
        written = ring.tensor, slot, ring.row_bytes
        check_apart(self._arenas, stage.step, written, (tensor, first, size), is_whole=is_whole)

    def _write_row(self, position: int) -> None:
        ring, row = self._rings[position], self.made[position]
        slot = _slot(ring, row) * ring.slot_bytes
        self._arenas.write(ring.tensor, slot, row * ring.row_bytes, (row + 1) * ring.row_bytes)
        self.made[position] += 1


def _stage(
    step: Step, position: Mapping[int, int], rings: tuple[Ring, ...], program: Program
) -> _Stage:
    whole = (*step.kept, *step.shared)
    taken = (tensor for tensor in step.inputs if tensor not in whole)
    tensors = program.graph.tensors
    shared = tuple((program.buffer_of(each), tensors[each].size_bytes) for each in step.shared)
    reads = tuple(position[program.buffer_of(tensor)] for tensor in taken)
    writes = position[program.buffer_of(step.output)]
    counted = reads[0] if keeps_sums(step) else writes
    return _Stage(step, reads, shared, writes, rings[counted].rows)


def _slot(ring: Ring, row: int) -> int:
    """Where the code has a row; of a lent ring the last row is in the last slot."""
    return (row + ring.phase) % ring.capacity


def _side_by_side(ring: Ring, rows: range) -> Iterator[tuple[int, int, int]]:
    """(slot, first row, row after the last) of rows that follow one another in their slots."""
    row = rows.start
    while row < rows.stop:
        slot = _slot(ring, row)
        is_alone = rows.step > 1 or ring.gap_bytes > 0
        end = row + 1 if is_alone else min(rows.stop, row + ring.capacity - slot)
        yield slot, row, end
        row = row + rows.step if is_alone else end
