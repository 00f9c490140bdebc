"""Program -> Schedule: where to hold whole tensors, and which steps to run row by row between.

For the lowest peak, and among schedules with that peak for the fewest streamed steps: first the
peak of the best way to cut the program into tasks, then the cheapest way that keeps to it, or to
the limit that the user gave.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.program import Form, Program
from tinyml_rules.plan.lifetimes import step_lifetimes
from tinyml_rules.plan.memory_plan import Lifetime
from tinyml_rules.plan.order import reorder
from tinyml_rules.plan.overlap import overlap_of, overlaps_of_stream
from tinyml_rules.plan.streams import rows_of, stream
from tinyml_rules.plan.tasks import Schedule, Task

LONGEST_STREAM = 40
"""Steps that are tried together."""
TRIES = 1500
"""Streams that are tried in all, so that the time to plan stays in proportion to the model."""
SUM_BYTES = 4


class Mode(StrEnum):
    """What the user may ask for: `stream` wherever it is possible, `layer` never, or what needs the
    least RAM."""

    AUTO = "auto"
    LAYER = "layer"
    STREAM = "stream"


@dataclass(frozen=True)
class _Piece:
    """Steps `begin` .. `end` - 1 as one task, and the bytes that are alive while it runs."""

    begin: int
    end: int
    task: Task
    peak_bytes: int

    @property
    def streamed_steps(self) -> int:
        return self.end - self.begin if self.task.is_streamed else 0


@dataclass(frozen=True)
class _Way:
    """Tasks for the first steps of the program."""

    peak_bytes: int
    streamed_steps: int
    pieces: tuple[_Piece, ...]

    def and_then(self, piece: _Piece) -> _Way:
        return _Way(
            max(self.peak_bytes, piece.peak_bytes),
            self.streamed_steps + piece.streamed_steps,
            (*self.pieces, piece),
        )


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
    pieces = list(_pieces(program, mode=mode, is_pushed=is_pushed))
    if mode is Mode.STREAM:
        way = _cut(program, pieces, key=lambda way: (len(way.pieces), way.peak_bytes))
    else:
        lowest = _cut(program, pieces, key=lambda way: (way.peak_bytes, way.streamed_steps))
        limit = max(lowest.peak_bytes, ram_bytes or 0)
        kept = [piece for piece in pieces if piece.peak_bytes <= limit]
        way = _cut(program, kept, key=lambda way: (way.streamed_steps, way.peak_bytes))
    return Schedule(program, tuple(piece.task for piece in way.pieces), is_pushed)


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


def _pieces(program: Program, *, mode: Mode, is_pushed: bool) -> Iterator[_Piece]:
    """Every task that the schedule may have."""
    alive = step_lifetimes(program)
    count = len(program.steps)
    tries = TRIES
    for begin in range(count):
        must_stream = is_pushed and begin == 0
        if not must_stream:
            task = Task((program.steps[begin],))
            yield _Piece(begin, begin + 1, task, _layer_peak(program, alive, begin))
        if mode is Mode.LAYER and not must_stream:
            continue
        for end in range(begin + (1 if must_stream else 2), count + 1):
            steps = program.steps[begin:end]
            if len(steps) > LONGEST_STREAM or tries <= 0 or rows_of(steps[-1], program) is None:
                break
            tries -= 1
            streamed = stream(program, steps, is_pushed=must_stream)
            if streamed is not None:
                yield _Piece(
                    begin, end, streamed, _stream_peak(program, alive, begin, end, streamed)
                )


def _layer_peak(program: Program, alive: tuple[Lifetime, ...], place: int) -> int:
    """Bytes alive during one step, its output laid over a dying input as far as that goes."""
    step = program.steps[place]
    total = sum(each.size_bytes for each in alive if each.first <= place <= each.last)
    result = program.graph.tensors[step.output]
    saved = 0
    for tensor in step.inputs:
        source = next(each for each in alive if each.tensor == program.storage(tensor))
        if source.last == place:
            overlap = overlap_of(step, program.graph.tensors[tensor], result)
            saved = max(saved, overlap.saved_bytes(source.size_bytes, result.count))
    return total - saved


def _stream_peak(
    program: Program, alive: tuple[Lifetime, ...], begin: int, end: int, task: Task
) -> int:
    """Bytes of the rings, and of everything that is alive throughout."""
    inside = {ring.tensor for ring in task.rings}
    others = (
        each.size_bytes
        for each in alive
        if each.first < end and each.last >= begin and each.tensor not in inside
    )
    last = task.steps[-1]
    sums = SUM_BYTES * last.sums if last.kernel.form is Form.ROWS else 0
    dying = {each.tensor for each in alive if each.last < end}
    saved = 0
    if all(ring.is_whole for ring in task.sources):
        for ring, overlap in overlaps_of_stream(task, program):
            if ring.tensor in dying:
                result_bytes = task.results[-1].size_bytes
                saved = max(saved, overlap.saved_bytes(ring.size_bytes, result_bytes))
    return sum(others) + sum(ring.size_bytes for ring in task.rings) + sums - saved


def _cut(program: Program, pieces: list[_Piece], *, key: object) -> _Way:
    """The best way through the program by `key`, which never falls as a way grows."""
    assert callable(key)
    best: list[_Way | None] = [None] * (len(program.steps) + 1)
    best[0] = _Way(0, 0, ())
    for piece in sorted(pieces, key=lambda piece: (piece.end, -piece.begin)):
        before = best[piece.begin]
        if before is None:
            continue
        candidate, current = before.and_then(piece), best[piece.end]
        if current is None or key(candidate) < key(current):
            best[piece.end] = candidate
    result = best[-1]
    assert result is not None, "running every step by itself is always possible"
    return result
