"""A streamed task run on counters alone: how far apart its readers and writers get.

The last step that can make a row goes first, as in the generated code.  Steps behind a step never
change the order in which it and those before it run: one run also tells of every shorter stream
that begins at the same step.
"""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.ir.program import Form, Program
from tinyml_rules.plan.reach import reach_of
from tinyml_rules.plan.tasks import Task


@dataclass(frozen=True)
class Run:
    """What was seen of a task.

    spans: for each ring the most rows from the oldest that is still needed to the newest.
    distances: for each step and each source, from the source's first byte down to the step's
    output, the least number of bytes at which no row of the output lies over a row of the source
    that is still to be read; may be negative, where the output may begin behind the source.
    """

    spans: tuple[int, ...]
    distances: tuple[tuple[int, ...], ...]


def dry_run(task: Task, program: Program, *, is_pushed: bool = False) -> Run:
    """The run of a task from its first row to its last."""
    runner = _Runner(task, program, is_pushed=is_pushed)
    runner.run()
    spans = [
        min(span, ring.rows) if span else 1
        for span, ring in zip(runner.spans, task.rings, strict=True)
    ]
    return Run(tuple(spans), tuple(map(tuple, runner.distances)))


class _Runner:
    """`made` counts the rows of each ring, `done` the turns of each step."""

    def __init__(self, task: Task, program: Program, *, is_pushed: bool) -> None:
        self._is_pushed = is_pushed
        self._sources = task.sources
        self._results = task.results
        place = {ring.tensor: number for number, ring in enumerate(task.rings)}
        steps = task.steps
        self._inputs = [
            tuple(dict.fromkeys(place[program.storage(tensor)] for tensor in step.inputs))
            for step in steps
        ]
        rings = task.rings
        reaches = [
            reach_of(step, rings[inputs[0]].rows)
            for step, inputs in zip(steps, self._inputs, strict=True)
        ]
        self._needed = [reach.needed.tolist() for reach in reaches]
        self._oldest = [reach.oldest.tolist() for reach in reaches]
        self._in_pieces = [step.kernel.form is Form.ROWS for step in steps]
        self._readers: list[list[int]] = [[] for _ in rings]
        for number, inputs in enumerate(self._inputs):
            for ring in inputs:
                self._readers[ring].append(number)
        self.made = [0 if is_pushed else ring.rows for ring in task.sources] + [0] * len(steps)
        self.done = [0] * len(steps)
        self.spans = [0] * len(rings)
        self.distances = [[-ring.size_bytes for ring in task.sources] for _ in steps]

    def run(self) -> None:
        """After a row only those who read it, or steps before its maker, can have become ready."""
        number = len(self.done) - 1
        while True:
            while number >= 0 and not self._is_ready(number):
                number -= 1
            if number >= 0:
                self._turn(number)
                ring = len(self._sources) + number
            elif self._is_pushed and self.made[0] < self._sources[0].rows:
                ring = 0
                self._grow(ring)
            else:
                break
            number = max([number, *self._readers[ring][-1:]])
        for number, in_pieces in enumerate(self._in_pieces):
            if in_pieces:  # its row comes at the very end
                self._note_distances(number, self._results[number].size_bytes)

    def _is_ready(self, number: int) -> bool:
        row = self.done[number]
        if row >= len(self._needed[number]):
            return False
        needed, made = self._needed[number][row], self.made
        return all(needed <= made[ring] for ring in self._inputs[number])

    def _turn(self, number: int) -> None:
        if self._in_pieces[number]:
            self.done[number] += 1
            return
        row = self.made[len(self._sources) + number]
        self._note_distances(number, (row + 1) * self._results[number].row_bytes)
        self.done[number] += 1
        self._grow(len(self._sources) + number)

    def _grow(self, ring: int) -> None:
        self.made[ring] += 1
        made = self.made[ring]
        oldest = min((self._oldest_row(number) for number in self._readers[ring]), default=made - 1)
        self.spans[ring] = max(self.spans[ring], made - oldest)

    def _oldest_row(self, number: int) -> int:
        oldest: int = self._oldest[number][self.done[number]]
        return oldest

    def _note_distances(self, number: int, end_bytes: int) -> None:
        """The output of a step ends at `end_bytes` now, while its turn has not been counted."""
        for position, ring in enumerate(self._sources):
            oldest = min(self._oldest_row(reader) for reader in self._readers[position])
            distance = end_bytes - oldest * ring.row_bytes
            self.distances[number][position] = max(self.distances[number][position], distance)
