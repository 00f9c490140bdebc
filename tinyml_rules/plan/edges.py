"""The edge rows of sliding windows, and how many rows of each tensor are needed at a time.

The upper edge rows of a window are made as soon as all rows are there that they read, the lower
ones with its last row.  What they read of other edge rows is made again at that time, and is gone
then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from tinyml_rules.ir.program import Form, Program, Step
from tinyml_rules.ir.window import Window
from tinyml_rules.plan.tasks import Shared, Task


@dataclass(frozen=True)
class Edges:
    """By ring of the task: the shared rows with their edge rows, how many shared rows are kept, and
    how many edge rows at a time; `upper_at` as a Slide has it."""

    shared: tuple[Shared, ...]
    kept_rows: tuple[int, ...]
    edge_rows: tuple[int, ...]
    upper_at: int


def edges_of(program: Program, task: Task, shared: Sequence[Shared]) -> Edges:
    """The edge rows of a task whose shared rows are known."""
    flow = _Flow(program, task)
    last, rows = shared[-1], task.sources[0].rows
    upper = _made(flow, shared, range(last.first))
    lower = _made(flow, shared, range(last.end, flow.last_rows))
    times = [shared[at].stride * row + shared[at].delay for at, row in _from_rings(flow, upper)]
    upper_at = max([0, *times]) if upper[-1] else -1
    kept = _Kept(flow, shared)
    for made, time in ((upper, upper_at), (lower, rows - 1)):
        for position, row in _from_rings(flow, made):
            kept.note(position, row, time)
    spans = zip(_spans(flow, upper), _spans(flow, lower), strict=True)
    return Edges(
        shared=tuple(
            replace(each, upper=above, lower=below, is_kept=lives)
            for each, above, below, lives in zip(shared, upper, lower, kept.lives, strict=True)
        ),
        kept_rows=tuple(kept.rows),
        edge_rows=tuple(map(max, spans)),
        upper_at=upper_at,
    )


class _Flow:
    """A task's steps with the positions of their rings; `first` is that of the first result."""

    def __init__(self, program: Program, task: Task) -> None:
        self.steps = task.steps
        self.first = len(task.sources)
        self.rings = task.rings
        self.inputs = [
            tuple(dict.fromkeys(task.position(program.buffer_of(each)) for each in step.inputs))
            for step in task.steps
        ]

    @property
    def last_rows(self) -> int:
        """The rows of the last step: of its result, or of what it takes in pieces."""
        has_sums = self.steps[-1].kernel.form is Form.ROWS
        return self.rings[self.inputs[-1][0] if has_sums else -1].rows

    def reads(self, place: int, position: int, row: int) -> range:
        """The rows of an input that a row of a step reads."""
        window, rows = _window_of(self.steps[place]), self.rings[position].rows
        if window is None:
            return range(row, row + 1)
        top, step = row * window.stride - window.pad_top, window.dilation
        above = max(-(top // step), 0)
        stop = min(top + window.height * step, rows)
        return range(top + above * step, max(stop, top + above * step), step)

    def end(self, place: int, row: int) -> int:
        """How many rows of its input the code waits for before a row of a step."""
        window = _window_of(self.steps[place])
        if window is None:
            return row + 1
        return row * window.stride - window.pad_top + (window.height - 1) * window.dilation + 1

    def readers(self, position: int) -> Iterator[int]:
        """The steps that read a ring."""
        return (place for place, inputs in enumerate(self.inputs) if position in inputs)


def _made(flow: _Flow, shared: Sequence[Shared], result: range) -> list[range]:
    """By ring, the rows that are made for one window so that `result` can be made of the last."""
    needs: list[range] = [range(0)] * len(shared)
    made = list(needs)
    for place in reversed(range(len(flow.steps))):
        at = flow.first + place
        made[at] = result if at == len(shared) - 1 else _not_shared(needs[at], shared[at])
        for position in flow.inputs[place]:
            for row in made[at]:
                needs[position] = _hull(needs[position], flow.reads(place, position, row))
    return made


def _hull(one: range, other: range) -> range:
    if not other:
        return one
    if not one:
        return range(other.start, other[-1] + 1)
    return range(min(one.start, other.start), max(one.stop, other[-1] + 1))


def _not_shared(needed: range, each: Shared) -> range:
    """The rows of a range that are not shared, in one piece."""
    if not needed:
        return range(0)
    is_above, is_below = needed.start < each.first, needed.stop > each.end
    if is_above and is_below:
        return needed
    if is_above:
        return range(needed.start, min(needed.stop, each.first))
    return range(max(needed.start, each.end), needed.stop) if is_below else range(0)


def _from_rings(flow: _Flow, made: Sequence[range]) -> Iterator[tuple[int, int]]:
    """(position, row) of each shared row that the edge rows read."""
    for place, inputs in enumerate(flow.inputs):
        for row in made[flow.first + place]:
            for position in inputs:
                for read in flow.reads(place, position, row):
                    if read not in made[position]:
                        yield position, read


class _Kept:
    """How many shared rows of each ring are kept, and whether any is read in a later push."""

    def __init__(self, flow: _Flow, shared: Sequence[Shared]) -> None:
        self._shared = shared
        self.rows = [1] * len(shared)
        self.lives = [at < flow.first for at in range(len(shared))]  # from when one is pushed
        for place, step in enumerate(flow.steps):
            for position in flow.inputs[place]:
                self._note_shared(step, position, shared[flow.first + place])

    def _note_shared(self, step: Step, position: int, result: Shared) -> None:
        """A shared row of a step reads shared rows."""
        source, window = self._shared[position], _window_of(step)
        if result.first >= result.end:
            return
        above = window.pad_top if window is not None else 0
        span = (result.delay - source.delay) // source.stride + above + 1
        self.rows[position] = max(self.rows[position], span)
        if span > 1 or result.delay != source.delay:
            self.lives[position] = True

    def note(self, position: int, row: int, time: int) -> None:
        """A row is read when the window has `time` + 1 rows of the input."""
        each = self._shared[position]
        newest = (time - each.delay) // each.stride
        self.rows[position] = max(self.rows[position], newest - row + 1)
        self.lives[position] = True


def _spans(flow: _Flow, made: Sequence[range]) -> list[int]:
    """The most edge rows of each ring that are needed at a time, where the last step that can make
    a row goes first."""
    done = [each.start for each in made]
    spans = [0] * len(made)
    needed = {
        (place, position): _Needed(flow, made, place, position)
        for place, inputs in enumerate(flow.inputs)
        for position in inputs
    }

    def is_ready(place: int) -> bool:
        at = flow.first + place
        return done[at] < made[at].stop and all(
            done[each] >= needed[place, each].end(done[at]) for each in flow.inputs[place]
        )

    while True:
        ready = [place for place in reversed(range(len(flow.steps))) if is_ready(place)]
        if not ready:
            return spans
        at = flow.first + ready[0]
        readers = ((place, done[flow.first + place]) for place in flow.readers(at))
        oldest = min([done[at], *(needed[place, at].oldest(row) for place, row in readers)])
        done[at] += 1
        spans[at] = max(spans[at], done[at] - oldest)


class _Needed:
    """Of the edge rows of a step, what each reads of an input's edge rows."""

    def __init__(self, flow: _Flow, made: Sequence[range], place: int, position: int) -> None:
        rows, self._inside = made[flow.first + place], made[position]
        found = [
            [each for each in flow.reads(place, position, row) if each in self._inside]
            for row in rows
        ]
        self._first_row = rows.start
        self._ends = [min(flow.end(place, row), self._inside.stop) for row in rows]
        first = [each[0] if each else self._inside.stop for each in found]
        self._oldest = [*accumulate(reversed(first), min)][::-1]

    def end(self, row: int) -> int:
        """How far they have to be made for a row."""
        return self._ends[row - self._first_row]

    def oldest(self, row: int) -> int:
        """The first that this row or a later one reads."""
        place = row - self._first_row
        return self._oldest[place] if place < len(self._oldest) else self._inside.stop


def _window_of(step: Step) -> Window | None:
    return step.window if step.kernel.form is Form.WINDOW else None
