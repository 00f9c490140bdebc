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


@dataclass(frozen=True)
class _Stage:
    """A step with the positions of its rings, and the buffers with their bytes that each turn reads
    all of; `turns`: how often it runs."""

    step: Step
    reads: tuple[int, ...]
    shared: tuple[tuple[int, int], ...]
    writes: int
    turns: int

    @property
    def keeps_sums(self) -> bool:
        return self.step.kernel.form is Form.ROWS

    @property
    def reads_values_in_turn(self) -> bool:
        """Each value is read before the one at its place is written."""
        kernel = self.step.kernel
        return kernel.form is Form.POINTWISE and kernel.is_in_place

    def rows(self, row: int) -> range:
        """The input rows inside the image that an output row needs."""
        window = self.step.window
        if window is None or self.step.kernel.form is not Form.WINDOW:
            return range(row, row + 1)
        top = (row * window.stride - window.pad_top) // (window.divisor or 1)
        above = max(-(top // window.dilation), 0)
        stop = min(top + window.height * window.dilation, window.input_rows)
        return range(top + above * window.dilation, stop, window.dilation)

    def needed(self, row: int) -> int:
        """Number of input rows that the code waits for."""
        window = self.step.window
        if window is None or self.step.kernel.form is not Form.WINDOW:
            return row + 1
        top = (row * window.stride - window.pad_top) // (window.divisor or 1)
        bottom = top + (window.height - 1) * window.dilation
        return min(bottom + 1, window.input_rows)


def verify_stream(arenas: Arenas, task: Task, program: Program, *, is_pushed: bool) -> None:
    """Assert that every row is there when it is read, and that all rows get made."""
    replay = _Replay(arenas, task, program, is_pushed=is_pushed)
    replay.run()
    for stage, done in zip(replay.stages, replay.done, strict=True):
        assert done == stage.turns, "the stream stands still"
    last = task.results[-1]
    if replay.stages[-1].keeps_sums:  # the sums become the only row once all pieces were taken
        arenas.write(last.tensor, 0, 0, last.row_bytes)


class _Replay:
    """`made` counts the rows of each ring, `done` the turns of each stage."""

    def __init__(self, arenas: Arenas, task: Task, program: Program, *, is_pushed: bool) -> None:
        self._arenas = arenas
        self._rings = task.rings
        self._task = task
        self._is_pushed = is_pushed
        self._makers = living(program.buffers, Life.INPUTS) if is_pushed else ()
        position = {ring.tensor: number for number, ring in enumerate(self._rings)}
        self.stages = tuple(_stage(step, position, self._rings, program) for step in task.steps)
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
        scratch = self._scratch(stage.step)
        for buffer, size in scratch:  # before it reads: what is there may be nobody's row
            self._arenas.write_as(buffer, 0, size, buffer, 0)
        rows = stage.rows(self.done[number])
        for position in dict.fromkeys(stage.reads):
            ring = self._rings[position]
            for slot, first, end in _side_by_side(ring, rows):
                begin, stop = first * ring.row_bytes, end * ring.row_bytes
                self._arenas.check(ring.tensor, slot * ring.row_bytes, begin, stop)
                if not stage.keeps_sums:
                    self._check_apart(stage, ring.tensor, slot * ring.row_bytes, stop - begin)
        for tensor, size in stage.shared:
            self._arenas.check(tensor, 0, 0, size)
            self._check_apart(stage, tensor, 0, size, is_whole=True)
        self.done[number] += 1
        if not stage.keeps_sums:
            self._write_row(stage.writes)
        for buffer, size in scratch:
            self._arenas.check_as(buffer, 0, size, buffer, 0)
        return stage.writes

    def _scratch(self, step: Step) -> list[tuple[int, int]]:
        """The buffers of a step's scratch memory, and the bytes of each that it writes."""
        buffers, sizes = self._task.workspace_of(step), [each.size_bytes for each in step.scratch]
        return list(zip(buffers, sizes, strict=True))

    def _check_apart(
        self, stage: _Stage, tensor: int, first: int, size: int, *, is_whole: bool = False
    ) -> None:
        """Assert that the row that a stage writes overlaps nothing that it reads for it, or of a
        row only values that its kernel has read by then."""
        ring = self._rings[stage.writes]
        slot = _slot(ring, self.made[stage.writes]) * ring.row_bytes
        region, begin, end = self._arenas.place(ring.tensor, slot, ring.row_bytes)
        read_in, read_from, read_to = self._arenas.place(tensor, first, size)
        is_apart = region != read_in or end <= read_from or read_to <= begin
        is_row = not is_whole and size == ring.row_bytes
        is_behind = stage.reads_values_in_turn and is_row and begin <= read_from
        assert is_apart or is_behind, f"tensor {tensor} is overwritten before it was read"

    def _write_row(self, position: int) -> None:
        ring, row = self._rings[position], self.made[position]
        slot = _slot(ring, row) * ring.row_bytes
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
    counted = reads[0] if step.kernel.form is Form.ROWS else writes
    return _Stage(step, reads, shared, writes, rings[counted].rows)


def _slot(ring: Ring, row: int) -> int:
    """Where the code has a row; of a lent ring the last row is in the last slot."""
    return (row + ring.phase) % ring.capacity


def _side_by_side(ring: Ring, rows: range) -> Iterator[tuple[int, int, int]]:
    """(slot, first row, row after the last) of rows that follow one another in their slots."""
    row = rows.start
    while row < rows.stop:
        slot = _slot(ring, row)
        end = min(rows.stop, row + ring.capacity - slot) if rows.step == 1 else row + 1
        yield slot, row, end
        row = end if rows.step == 1 else row + rows.step
