"""The edge rows of sliding windows, and how many rows of each tensor are needed at a time.

The upper edge rows of a window are made as soon as all rows are there that they read, the lower
ones with its last row.  What they read of other edge rows is made again at that time, and is gone
then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tinyml_rules.ir.program import Form, Program, Step
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
    inputs = [
        tuple(dict.fromkeys(task.position(program.buffer_of(tensor)) for tensor in step.inputs))
        for step in task.steps
    ]
    count, rows = len(task.sources), task.sources[0].rows
    last = shared[-1]
    whole = _counted_rows(task, shared)
    upper = _made(task, shared, inputs, range(min(last.first, last.end)))
    lower = _made(task, shared, inputs, range(last.end, whole))
    found = [
        replace(each, upper=above, lower=below)
        for each, above, below in zip(shared, upper, lower, strict=True)
    ]
    kept = _Kept(found, sources=count)
    for place, step in enumerate(task.steps):
        for position in inputs[place]:
            kept.note_shared(step, position, count + place)
    times = [0 if upper[-1] else -1]
    for made in (upper, lower):
        for position, row in _from_rings(task, made, inputs):
            each = found[position]
            if made is upper:
                times.append(row * each.stride + each.delay)
    upper_at = max(times)
    for made, time in ((upper, upper_at), (lower, rows - 1)):
        for position, row in _from_rings(task, made, inputs):
            kept.note(position, row, time)
    edge_rows = [1] * len(shared)
    for made in (upper, lower):
        spans = _spans(task, made, inputs)
        edge_rows = [max(pair) for pair in zip(edge_rows, spans, strict=True)]
    return Edges(
        shared=tuple(replace(each, is_kept=kept.lives[at]) for at, each in enumerate(found)),
        kept_rows=tuple(kept.rows),
        edge_rows=tuple(
            most if each.upper or each.lower else 0
            for most, each in zip(edge_rows, found, strict=True)
        ),
        upper_at=upper_at,
    )


def _counted_rows(task: Task, shared: Sequence[Shared]) -> int:
    """The rows of the last step: of its result, or of what it takes in pieces."""
    if task.steps[-1].kernel.form is not Form.ROWS:
        return task.results[-1].rows
    return task.rings[len(shared) - 2].rows


def reads(step: Step, row: int, rows: int) -> range:
    """The rows of an input of so many that a row of a step reads."""
    window = step.window
    if window is None or step.kernel.form is not Form.WINDOW:
        return range(row, row + 1)
    top = row * window.stride - window.pad_top
    inside = [
        each
        for each in range(top, top + window.height * window.dilation, window.dilation)
        if 0 <= each < rows
    ]
    return range(inside[0], inside[-1] + 1, window.dilation) if inside else range(0)


def _made(
    task: Task, shared: Sequence[Shared], inputs: Sequence[tuple[int, ...]], result: range
) -> list[range]:
    """By ring, the rows that are made for one window so that `result` can be made of the last."""
    count = len(task.sources)
    needs: list[range] = [range(0)] * len(shared)
    made = list(needs)
    for place in reversed(range(len(task.steps))):
        at = count + place
        made[at] = result if at == len(shared) - 1 else _not_shared(needs[at], shared[at])
        for position in inputs[place]:
            for row in made[at]:
                needed = reads(task.steps[place], row, task.rings[position].rows)
                needs[position] = _hull(needs[position], needed)
    return made


def _hull(one: range, other: range) -> range:
    if not one or not other:
        return range(one.start, one[-1] + 1) if one else range(other.start, _end(other))
    return range(min(one.start, other.start), max(one.stop, other[-1] + 1))


def _end(rows: range) -> int:
    return rows[-1] + 1 if rows else rows.start


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


def _from_rings(
    task: Task, made: Sequence[range], inputs: Sequence[tuple[int, ...]]
) -> Iterator[tuple[int, int]]:
    """(position, row) of each shared row that the edge rows read."""
    for place, step in enumerate(task.steps):
        for row in made[len(task.sources) + place]:
            for position in inputs[place]:
                for read in reads(step, row, task.rings[position].rows):
                    if read not in made[position]:
                        yield position, read


class _Kept:
    """How many shared rows of each ring are kept, and whether any is read in a later push."""

    def __init__(self, shared: Sequence[Shared], *, sources: int) -> None:
        self._shared = shared
        self.rows = [1] * len(shared)
        self.lives = [place < sources for place in range(len(shared))]  # from when one is pushed

    def note_shared(self, step: Step, position: int, made: int) -> None:
        """A shared row of position `made` reads shared rows of `position`."""
        source, result = self._shared[position], self._shared[made]
        if result.first >= result.end:
            return
        window = step.window if step.kernel.form is Form.WINDOW else None
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


def _spans(task: Task, made: Sequence[range], inputs: Sequence[tuple[int, ...]]) -> list[int]:
    """The most edge rows of each ring that are needed at a time, where the last step that can make
    a row goes first."""
    count = len(task.sources)
    done = [each.start for each in made]
    spans = [0] * len(made)

    def is_ready(place: int) -> bool:
        at = count + place
        if done[at] >= made[at].stop:
            return False
        return all(
            done[position] >= min(_end(_read(place, position, done[at])), made[position].stop)
            or done[position] >= made[position].stop
            for position in inputs[place]
        )

    def _read(place: int, position: int, row: int) -> range:
        return reads(task.steps[place], row, task.rings[position].rows)

    def oldest(position: int) -> int:
        """The first edge row of a ring that is still to be read."""
        found = done[position]
        for place, positions in enumerate(inputs):
            if position in positions:
                for row in range(done[count + place], made[count + place].stop):
                    needed = [each for each in _read(place, position, row) if each in made[position]]
                    found = min([found, *needed[:1]])
        return found

    while True:
        ready = [place for place in reversed(range(len(task.steps))) if is_ready(place)]
        if not ready:
            assert all(at >= each.stop for at, each in zip(done, made, strict=True))
            return spans
        at = count + ready[0]
        first = oldest(at)
        done[at] += 1
        spans[at] = max(spans[at], done[at] - first)
