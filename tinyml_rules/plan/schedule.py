"""Program -> Schedule: where to hold whole tensors, and which steps to run row by row between.

For the lowest peak, and among schedules with that peak for the fewest streamed steps: first the
peak of the best way to cut the program into tasks, then the cheapest way that keeps to it, or to
the limit that the user gave.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import accumulate

from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.program import Program
from tinyml_rules.plan.order import reorder
from tinyml_rules.plan.pieces import Pieces
from tinyml_rules.plan.streams import rows_of, shrink, whole_rings
from tinyml_rules.plan.tasks import Schedule, Task


class Mode(StrEnum):
    """What the user may ask for: `stream` wherever it is possible, `layer` never, or what needs the
    least RAM."""

    AUTO = "auto"
    LAYER = "layer"
    STREAM = "stream"


_NO_WAY = 2**62
"""More than any number of steps or bytes."""

Cuts = list[tuple[int, int]]
"""(begin, end) of each task, in order."""


def schedule(
    program: Program,
    *,
    mode: Mode = Mode.AUTO,
    is_pushed: bool = False,
    ram_bytes: int | None = None,
) -> Schedule:
    """The schedule with the lowest peak, or the least streaming that keeps to `ram_bytes`.

    Raises UnsupportedError where rows cannot be pushed.
    """
    program = reorder(program)
    if is_pushed:
        _check_can_push(program)
    choice = _Choice(Pieces(program), mode, is_pushed=is_pushed, ram_bytes=ram_bytes or 0)
    if mode is Mode.STREAM:
        cuts = choice.best(counts_tasks=True)
    else:
        cuts = choice.best(max(choice.lowest_peak(), ram_bytes or 0))
    tasks = (_task(program, begin, end, is_pushed=is_pushed and begin == 0) for begin, end in cuts)
    return Schedule(program, tuple(tasks), is_pushed)


def _task(program: Program, begin: int, end: int, *, is_pushed: bool) -> Task:
    steps = program.steps[begin:end]
    if len(steps) == 1 and not is_pushed:
        return Task(steps)
    task = whole_rings(program, steps)
    assert task is not None
    return shrink(task, program, is_pushed=is_pushed)


def _check_can_push(program: Program) -> None:
    graph = program.graph
    first = program.steps[0] if program.steps else None
    readers = [
        step for step in program.steps if graph.inputs[0] in map(program.storage, step.inputs)
    ]
    rows = None if first is None else rows_of(first, program)
    if len(graph.inputs) != 1 or readers != [first] or rows is None or rows.input_rows is None:
        raise UnsupportedError.at(
            graph.name,
            "the first operator does not take one input row by row, so none can be pushed",
        )
    for tensor in graph.outputs:
        if program.storage(tensor) == graph.inputs[0]:
            raise UnsupportedError.at(
                graph.name,
                f"output tensor {graph.tensors[tensor]} is the input's own bytes, of which only a "
                "few rows are kept when rows are pushed",
                hint="without pushed rows the whole input is kept",
            )


class _Choice:
    """The tasks that may be chosen, by where they begin."""

    def __init__(self, pieces: Pieces, mode: Mode, *, is_pushed: bool, ram_bytes: int) -> None:
        self._count = len(pieces)
        self._is_pushed = is_pushed
        self._layers = [pieces.layer_peak(place) for place in range(self._count)]
        # (end, peak) of streams, one number after the other: a long model has millions
        self._streams = [array("q") for _ in range(self._count)]
        if is_pushed:
            self._offer(0, pieces.streams(0, is_pushed=True))
        if mode is Mode.LAYER:
            return
        most_bytes = None if mode is Mode.STREAM else self._enough_bytes(ram_bytes)
        for begin in range(1 if is_pushed else 0, self._count):
            self._offer(begin, pieces.streams(begin, most_bytes=most_bytes))

    def _offer(self, begin: int, streams: Iterable[tuple[int, int]]) -> None:
        for stream in streams:
            self._streams[begin].extend(stream)

    def _enough_bytes(self, ram_bytes: int) -> int:
        """What a way takes that streams nothing, but for the rows that are pushed: a task that
        takes more is of no use, unless it saves streaming within the user's limit."""
        if not self._is_pushed:
            return max(self._layers, default=0)
        behind = [*accumulate(reversed(self._layers), max, initial=0)]
        ways = (max(peak, behind[self._count - end]) for end, peak, _ in self._from(0))
        return max(min(ways), ram_bytes)

    def _from(self, begin: int) -> Iterator[tuple[int, int, int]]:
        """(end, peak, streamed steps) of each task that begins there."""
        if not (self._is_pushed and begin == 0):
            yield begin + 1, self._layers[begin], 0
        flat = iter(self._streams[begin])
        for end, peak in zip(flat, flat, strict=True):
            yield end, peak, end - begin

    def lowest_peak(self) -> int:
        """Of all ways to cut the program."""
        lowest = [0, *[_NO_WAY] * self._count]
        for begin in range(self._count):
            for end, peak, _ in self._from(begin):
                lowest[end] = min(lowest[end], max(lowest[begin], peak))
        return lowest[-1]

    def best(self, limit: int = _NO_WAY, *, counts_tasks: bool = False) -> Cuts:
        """The way with the fewest streamed steps, or tasks, and then the lowest peak, of tasks that
        take no more than `limit`."""
        costs = [(0, 0), *[(_NO_WAY, _NO_WAY)] * self._count]
        begins = [0] * (self._count + 1)
        for begin in range(self._count):
            steps, highest = costs[begin]
            for end, peak, streamed in self._from(begin):
                cost = (steps + (1 if counts_tasks else streamed), max(highest, peak))
                if peak <= limit and cost <= costs[end]:
                    costs[end], begins[end] = cost, begin
        cuts: Cuts = []
        end = self._count
        while end > 0:
            cuts.append((begins[end], end))
            end = begins[end]
        return cuts[::-1]
