"""Proof of windows that slide: rows are pushed, in the order of the generated code, until the rings
have gone around and several windows were in flight.

What is simulated is the C: shared rows, then the edge rows of at most two windows.  What is judged
needs none of the planner: a row in a ring is that of every window whose row at its place reads no
padding, neither directly nor through rows before; every other row belongs to one window.  Each
window has to take each row of its sums once, and has to be complete with its last row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tinyml_rules.ir.program import Program, Step
from tinyml_rules.plan.contents import Arenas
from tinyml_rules.plan.tasks import Ring, Schedule, Slide
from tinyml_rules.plan.verify_layer import keeps_sums, taps

_MORE_WINDOWS = 3
"""Windows that are completed after as many as are in flight."""


def verify_slide(arenas: Arenas, schedule: Schedule, complete: Callable[[], None]) -> None:
    """Assert that every row is there when it is read; `complete` is called for each window that has
    all, and judges what runs then."""
    assert schedule.slide is not None
    replay = _Replay(arenas, schedule, schedule.slide)
    hop, rows = schedule.slide.hop, schedule.slide.rows
    windows = -(-rows // hop) + _MORE_WINDOWS
    completed = []
    for time in range(rows + (windows - 1) * hop):
        if replay.push(time):
            completed.append(time)
            complete()
    assert completed == [rows - 1 + each * hop for each in range(windows)], "windows are left out"


_Bytes = tuple[int, int, int, int, int]
"""(buffer, first byte there, size, tag, number of the first byte) as `Arenas.write_as` has it."""


class _Replay:
    """`sums`: by slot, the window that has it and the rows that it took."""

    def __init__(self, arenas: Arenas, schedule: Schedule, slide: Slide) -> None:
        task, program = schedule.tasks[0], schedule.program
        assert all(step.kernel.rows_at_once == 1 for step in task.steps), "rows have no order"
        self._arenas, self._program, self._slide = arenas, program, slide
        self._rings: tuple[Ring, ...] = task.rings
        self._steps: Sequence[Step] = task.steps
        self._count = len(task.sources)
        self._inputs = [_positions(step, program, self._rings) for step in task.steps]
        self._flying = -(-slide.rows // slide.hop)
        self._sums: dict[int, tuple[int, set[int]]] = {}
        self._reads: list[_Bytes] = []
        self._scratch = [
            [
                (buffer, 0, each.size_bytes, buffer, 0)
                for buffer, each in zip(task.workspace_of(step), step.scratch, strict=True)
            ]
            for step in task.steps
        ]
        self._is_pure: list[list[bool]] = [[True] * self._rings[0].rows]
        for place in range(len(task.steps)):
            self._is_pure.append([self._reads_no_padding(place, y) for y in self._rows(place)])

    def _rows(self, place: int) -> range:
        """The rows of a step: of its output, or of the input of one with sums."""
        ring = self._count + place
        if keeps_sums(self._steps[place]):
            (ring,) = self._inputs[place]
        return range(self._rings[ring].rows)

    def _reads_no_padding(self, place: int, row: int) -> bool:
        return all(
            0 <= each < self._rings[position].rows and self._is_pure[position][each]
            for position in self._inputs[place]
            for each in taps(self._steps[place], row)
        )

    def push(self, time: int) -> bool:
        """One row, the `time`-th; whether it completes a window."""
        hop, slide = self._slide.hop, self._slide
        newest = time // hop
        if time % hop == 0:
            self._sums[newest % self._flying] = (newest, set())
        self._write_shared(0, time)
        for place in range(len(self._steps)):
            self._make_shared(place, time)
        flying = range(max(newest - self._flying + 1, 0), newest + 1)
        for window in flying:
            if slide.upper_at >= 0 and time == window * hop + slide.upper_at:
                self._make_edges(window, [each.upper for each in slide.shared])
        for window in flying:
            if time == window * hop + slide.rows - 1:
                self._make_edges(window, [each.lower for each in slide.shared])
                self._end(window)
                return True
        return False

    def _make_shared(self, place: int, time: int) -> None:
        """The row that a step makes now, for all windows that have it."""
        position, hop = self._count + place, self._slide.hop
        each, newest = self._slide.shared[position], time // hop
        since, apart = time - newest * hop - each.delay, hop // each.stride
        if since % each.stride:
            return
        row, is_made = since // each.stride, False
        for window in range(newest, max(newest - self._flying, -1), -1):
            if each.first <= row < each.end:
                if not is_made:
                    self._make(place, window, row, ())
                    is_made = True
                    if not keeps_sums(self._steps[place]):
                        self._write_shared(position, window * apart + row)
                        return
                assert self._is_pure[position][row], "a shared row reads padding"
                self._take(window, row)
            elif row >= each.end:
                return
            row += apart

    def _make_edges(self, window: int, made: Sequence[range]) -> None:
        """The last step goes first of those that can make a row."""
        done = [each.start for each in made]
        while True:
            ready = [
                place for place in range(len(self._steps)) if self._is_ready(place, done, made)
            ]
            if not ready:
                break
            position, place = self._count + ready[-1], ready[-1]
            if keeps_sums(self._steps[place]):
                self._make(place, window, done[position], made)
                self._take(window, done[position])
            else:
                self._make(place, window, done[position], made)
                self._write_edge(position, window, done[position])
            done[position] += 1
        for rows, end in zip(made, done, strict=True):
            assert end == max(rows.stop, rows.start), "the edge rows of a window stand still"

    def _is_ready(self, place: int, done: Sequence[int], made: Sequence[range]) -> bool:
        row = done[self._count + place]
        if row >= made[self._count + place].stop:
            return False
        return all(
            done[position] >= min(max(taps(self._steps[place], row)) + 1, made[position].stop)
            for position in self._inputs[place]
        )

    def _make(self, place: int, window: int, row: int, made: Sequence[range]) -> None:
        """Assert that a row finds what it reads; of a shared one `made` is empty, and then it may
        read no padding."""
        assert made or self._reads_no_padding(place, row), "a shared row reads padding"
        for written in self._scratch[place]:
            self._arenas.write_as(*written)
        self._reads = [
            read
            for position in self._inputs[place]
            for each in taps(self._steps[place], row)
            if 0 <= each < self._rings[position].rows
            for read in [self._place(position, window, each, made)]
        ]
        self._reads += self._scratch[place]
        self._check_reads()

    def _take(self, window: int, row: int) -> None:
        """A row goes to the sums of a window."""
        owner, taken = self._sums[window % self._flying]
        assert owner == window and row not in taken, "a row goes to other sums, or twice"
        taken.add(row)

    def _end(self, window: int) -> None:
        last, result = len(self._steps) - 1, self._rings[-1]
        if keeps_sums(self._steps[last]):
            owner, taken = self._sums[window % self._flying]
            assert owner == window and taken == set(self._rows(last)), "rows are missing"
            self._arenas.write(result.tensor, 0, 0, result.row_bytes)

    def _place(self, position: int, window: int, row: int, made: Sequence[range]) -> _Bytes:
        """Where a row of a window is, and what has to be there."""
        each = self._slide.shared[position]
        if made and row in made[position]:
            return self._edge(position, window, row)
        assert self._is_pure[position][row], "a row that reads padding is taken for a shared one"
        return self._shared(position, window * self._slide.hop // each.stride + row)

    def _shared(self, position: int, at: int) -> _Bytes:
        """The same of a shared row; what is gone after a push is at the ring's start."""
        ring = self._rings[position]
        slot = at if self._slide.shared[position].is_kept else 0
        return _slot(ring, slot, ring.tensor, at)

    def _edge(self, position: int, window: int, row: int) -> _Bytes:
        edge = self._slide.shared[position].edge
        assert edge is not None, "there is no place for edge rows"
        return _slot(edge, row, -1 - position, window * edge.rows + row)

    def _check_reads(self) -> None:
        for read in self._reads:
            self._arenas.check_as(*read)

    def _write_shared(self, position: int, at: int) -> None:
        self._arenas.write_as(*self._shared(position, at))
        if position:
            self._check_reads()

    def _write_edge(self, position: int, window: int, row: int) -> None:
        """A row of the stream's result is that of its tensor, for the steps after it."""
        ring = self._rings[position]
        if position == len(self._rings) - 1:
            begin = row * ring.row_bytes
            self._arenas.write(ring.tensor, begin, begin, begin + ring.row_bytes)
        else:
            self._arenas.write_as(*self._edge(position, window, row))
        self._check_reads()


def _slot(ring: Ring, row: int, tag: int, number: int) -> _Bytes:
    slot = row % ring.capacity * ring.row_bytes
    return ring.tensor, slot, ring.row_bytes, tag, number * ring.row_bytes


def _positions(step: Step, program: Program, rings: Sequence[Ring]) -> tuple[int, ...]:
    numbers = [ring.tensor for ring in rings]
    return tuple(dict.fromkeys(numbers.index(program.buffer_of(each)) for each in step.inputs))
