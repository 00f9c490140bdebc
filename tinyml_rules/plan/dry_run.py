"""Runs a streamed task on counters only: the largest distances between its readers and writers.

The last step that can make a row goes first, as in the generated code.  Later steps never
change the order in which earlier ones run, so one run also gives the distances of every shorter
stream that begins at the same step.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from tinyml_rules.ir.program import Form, Program
from tinyml_rules.plan.reach import row_inputs, turns_of
from tinyml_rules.plan.tasks import Ring, Task

_Ends = list[dict[int, int]]


@dataclass(frozen=True)
class Run:
    """The result for one task.

    spans: for each ring, the most rows from the oldest that is still needed to the newest.
    distances: for each step and each source, from the source's first byte down to the step's
    output, the least number of bytes at which no row of the output overlaps a row of the source
    that is still to be read; negative if the output may begin after the source.  A pushed source
    is a ring of as many rows as it spans, with the last row in the last slot, and no row of the
    output overlaps one that is still to be pushed.
    early: the same where the row that the step reads is in the slot of its output, so that the
    slot is written a turn earlier; equal to `distances` where no such row was given.
    """

    spans: tuple[int, ...]
    distances: tuple[tuple[int, ...], ...]
    early: tuple[tuple[int, ...], ...]


def dry_run(
    task: Task,
    program: Program,
    *,
    guests: Mapping[int, int],
    is_pushed: bool = False,
    ends: Collection[int] | None = None,
) -> Run:
    """The run of a task from its first row to its last.

    `ends`: positions of the steps whose distances matter, the last one alone if not given;
    `guests`: for each step that makes its row where the row that it reads is, or might be, the one
    that made that.
    """
    wanted = (len(task.steps) - 1,) if ends is None else ends
    runner = _Runner(task, program, wanted, guests, is_pushed=is_pushed)
    runner.run()
    spans = [
        min(max(span, 1), ring.rows) for span, ring in zip(runner.spans, task.rings, strict=True)
    ]
    pairs = [*zip(task.sources, spans, strict=False)]
    lost = [ring.rows - span if is_pushed else 0 for ring, span in pairs]
    distances, early = (
        [tuple(map(_distance, task.sources, lost, ends)) for ends in noted]
        for noted in (runner.ends, runner.early)
    )
    both = (tuple(map(max, *each)) for each in zip(distances, early, strict=True))
    return Run(tuple(spans), tuple(distances), tuple(both))


def _distance(source: Ring, lost: int, ends: Mapping[int, int]) -> int:
    """The distance by the `ends` of an output.  When the first slot dies, `lost` rows of the source
    have been in others' slots."""
    row_bytes = source.row_bytes
    return max(
        (end - max(oldest - lost, 0) * row_bytes for oldest, end in ends.items()),
        default=(lost - source.rows) * row_bytes,
    )


def _written(count: int, ends: Collection[int], guests: Mapping[int, int]) -> list[list[int]]:
    """By step of so many, the wanted steps whose slots it is the first to write in; and itself."""
    found: list[list[int]] = [[] for _ in range(count)]
    hosts = {guest: host for host, guest in guests.items()}
    for number in range(count):
        host = number if number not in guests else None  # in whose slot is written already
        while host is not None:
            found[number] += [host] if host in ends else []
            host = hosts.get(host)
        if number in guests and number in ends:
            found[number].append(number)
    return found


class _Runner:
    """`made` counts the rows of each ring, `done` the turns of each step."""

    def __init__(
        self,
        task: Task,
        program: Program,
        ends: Collection[int],
        guests: Mapping[int, int],
        *,
        is_pushed: bool,
    ) -> None:
        self._task = task
        self._is_pushed = is_pushed
        rings, steps = task.rings, task.steps
        place = {ring.tensor: number for number, ring in enumerate(rings)}
        self._inputs = [
            tuple(dict.fromkeys(place[program.buffer_of(tensor)] for tensor in row_inputs(step)))
            for step in steps
        ]
        turns = [
            turns_of(step, rings[inputs[0]].rows)
            for step, inputs in zip(steps, self._inputs, strict=True)
        ]
        self._turns = [each.count for each in turns]
        self._needed: list[list[int]] = [each.needed.tolist() for each in turns]
        self._oldest: list[list[int]] = [each.oldest.tolist() for each in turns]
        self._readers: list[list[int]] = [[] for _ in rings]
        for number, inputs in enumerate(self._inputs):
            for ring in inputs:
                self._readers[ring].append(number)
        self._written = _written(len(steps), ends, guests)
        self.made = [0 if is_pushed else ring.rows for ring in task.sources] + [0] * len(steps)
        self.done = [0] * len(steps)
        self.spans = [0] * len(rings)
        # for each step and each source, by the first row of the source that must stay: where the
        # step's output ends by then, in bytes; `early` where what it reads is in its slot
        self.ends: list[_Ends] = [[{} for _ in task.sources] for _ in steps]
        self.early: list[_Ends] = [[{} for _ in task.sources] for _ in steps]

    def run(self) -> None:
        """After a row only its readers, or steps before its maker, can have become ready."""
        first_result = len(self._task.sources)
        number = len(self.done) - 1
        while True:
            while number >= 0 and not self._is_ready(number):
                number -= 1
            if number >= 0:
                ring = first_result + number
                self._turn(number, ring)
            elif self._is_pushed and self.made[0] < self._task.sources[0].rows:
                ring = 0
                self._grow(ring)
            else:
                break
            readers = self._readers[ring]
            if readers and readers[-1] > number:
                number = readers[-1]
        for number, step in enumerate(self._task.steps):
            if step.kernel.form is Form.ROWS:  # its row comes at the very end
                size_bytes = self._task.results[number].size_bytes
                self._note_end(self.ends[number], number, size_bytes)

    def _is_ready(self, number: int) -> bool:
        row = self.done[number]
        if row >= self._turns[number]:
            return False
        needed, made = self._needed[number][row], self.made
        return all(made[ring] >= needed for ring in self._inputs[number])

    def _turn(self, number: int, ring: int) -> None:
        if self._task.steps[number].kernel.form is Form.ROWS:
            self.done[number] += 1
            return
        for place in self._written[number]:
            noted = self.ends if place == number else self.early
            made = self._task.results[place]
            row_bytes = self.made[ring] * made.row_bytes
            self._note_end(noted[place], number, row_bytes + made.row_bytes)
            if self._task.has_parts:  # who reads the source is at the same piece of its own row
                end_bytes = row_bytes + made.before_last * made.pixel_bytes
                self._note_end(noted[place], number, end_bytes, late=1)
        self.done[number] += 1
        self._grow(ring)

    def _grow(self, ring: int) -> None:
        made = self.made[ring] + 1
        self.made[ring] = made
        oldest, done = made, self.done
        for number in self._readers[ring]:
            oldest = min(oldest, self._oldest[number][done[number]])
        self.spans[ring] = max(self.spans[ring], made - oldest)

    def _note_end(self, ends: _Ends, number: int, end_bytes: int, *, late: int = 0) -> None:
        """Note that an output in which a step writes ends at `end_bytes` now, before its turn
        counts; it never becomes shorter.  `late`: the turns that are counted and not over."""
        task = self._task
        for position, ring in enumerate(task.sources):
            oldest = self.made[position]
            for reader in self._readers[position]:
                row = max(self.done[reader] - late, 0)
                if (
                    reader == number
                    and not task.has_parts
                    and row < self._turns[reader]
                    and task.may_cover(number, ring)
                ):
                    row += 1
                oldest = min(oldest, self._oldest[reader][row])
            ends[position][oldest] = max(ends[position].get(oldest, end_bytes), end_bytes)
