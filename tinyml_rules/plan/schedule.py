"""Program -> Schedule: where to hold whole tensors, and which steps to run row by row between.

For the lowest peak, and among schedules with that peak for the fewest streamed steps: first the
peak of the best way to cut the program into tasks, then the cheapest way that keeps to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.program import Form, Program
from tinyml_rules.plan.lifetimes import step_lifetimes
from tinyml_rules.plan.memory_plan import Lifetime
from tinyml_rules.plan.overlap import overlap_of
from tinyml_rules.plan.streams import links, rows_of, stream
from tinyml_rules.plan.tasks import Schedule, Task

LONGEST_STREAM = 40
"""Steps that are tried together; the time to plan grows with the square."""


class Mode(StrEnum):
    """What the user may ask for."""

    AUTO = "auto"
    LAYER = "layer"


@dataclass(frozen=True)
class _Piece:
    """Steps `begin` .. `end` - 1 as one task, and the bytes that are alive while it runs."""

    begin: int
    end: int
    is_streamed: bool
    peak_bytes: int

    @property
    def streamed_steps(self) -> int:
        return self.end - self.begin if self.is_streamed else 0


def schedule(program: Program, *, mode: Mode = Mode.AUTO, is_pushed: bool = False) -> Schedule:
    """The schedule with the lowest peak; UnsupportedError where rows cannot be pushed."""
    if is_pushed:
        _check_can_push(program)
    pieces = list(_pieces(program, mode=mode, is_pushed=is_pushed))
    peak = _cut(program, pieces, limit_bytes=None)[0]
    chosen = _cut(program, pieces, limit_bytes=peak)[2]
    return Schedule(
        program, tuple(_task(program, piece, is_pushed=is_pushed) for piece in chosen), is_pushed
    )


def _task(program: Program, piece: _Piece, *, is_pushed: bool) -> Task:
    steps = program.steps[piece.begin : piece.end]
    if not piece.is_streamed:
        return Task(steps)
    return stream(program, steps, is_pushed=is_pushed and piece.begin == 0)


def _check_can_push(program: Program) -> None:
    graph = program.graph
    readers = [
        step for step in program.steps if graph.inputs[0] in map(program.storage, step.inputs)
    ]
    first = program.steps[0] if program.steps else None
    rows = None if first is None else rows_of(first, program)
    if len(graph.inputs) != 1 or len(readers) != 1 or rows is None or first is not readers[0]:
        raise UnsupportedError.at(
            graph.name,
            "its first operator does not read one input row by row, so none can be pushed",
        )


def _pieces(program: Program, *, mode: Mode, is_pushed: bool) -> Iterator[_Piece]:
    """Every task that the schedule may have."""
    alive = step_lifetimes(program)
    linked = links(program)
    for begin in range(len(program.steps)):
        must_stream = is_pushed and begin == 0
        if not must_stream:
            peak = _layer_peak(program, alive, begin)
            yield _Piece(begin, begin + 1, is_streamed=False, peak_bytes=peak)
        if mode is Mode.AUTO or must_stream:
            yield from _streams(program, alive, linked, begin, is_pushed=must_stream)


def _streams(
    program: Program,
    alive: Sequence[Lifetime],
    linked: Sequence[bool],
    begin: int,
    *,
    is_pushed: bool,
) -> Iterator[_Piece]:
    """The streams that begin at a step; a single step only runs so on rows that are pushed."""
    longest = begin + 1
    while longest < min(len(linked), begin + LONGEST_STREAM) and linked[longest]:
        longest += 1
    shortest = begin + (1 if is_pushed else 2)
    if longest < shortest:
        return
    task = stream(program, program.steps[begin:longest], is_pushed=is_pushed)
    inside = {ring.tensor for ring in task.rings}
    others = [each for each in alive if each.last >= begin and each.tensor not in inside]
    others = [each for each in others if each.first < longest]
    rings_bytes = sum(ring.size_bytes for ring in task.rings[: shortest - begin])
    for end in range(shortest, longest + 1):
        step, result = task.steps[end - begin - 1], task.rings[end - begin]
        # where the stream ends its result is whole; only the longest may end in sums
        sums_bytes = 4 * step.sums if step.kernel.form is Form.ROWS else 0
        outside_bytes = sum(each.size_bytes for each in others if each.first < end)
        peak = outside_bytes + rings_bytes + result.rows * result.row_bytes + sums_bytes
        yield _Piece(begin, end, is_streamed=True, peak_bytes=peak)
        rings_bytes += result.size_bytes


def _layer_peak(program: Program, alive: tuple[Lifetime, ...], place: int) -> int:
    """Bytes alive during one step, its output laid over a dying input as far as that goes."""
    step = program.steps[place]
    sizes = [each.size_bytes for each in alive if each.first <= place <= each.last]
    total = sum(sizes)
    if len(step.inputs) != 1:
        return total
    source = next(each for each in alive if each.tensor == program.storage(step.inputs[0]))
    result = program.graph.tensors[step.output]
    if source.last != place:
        return total
    overlap = overlap_of(step, program.graph.tensors[step.inputs[0]], result)
    together = source.size_bytes + result.count
    if overlap.ascending is not None:
        together = min(together, max(result.count, overlap.ascending + source.size_bytes))
    if overlap.descending is not None:
        together = min(together, max(source.size_bytes, overlap.descending + result.count))
    return total - source.size_bytes - result.count + together


def _cut(
    program: Program, pieces: list[_Piece], *, limit_bytes: int | None
) -> tuple[int, int, tuple[_Piece, ...]]:
    """(peak, streamed steps, tasks) of the best way through; with a limit the peak is only kept."""
    best: list[tuple[int, int, tuple[_Piece, ...]] | None] = [None] * (len(program.steps) + 1)
    best[0] = (0, 0, ())
    for piece in sorted(pieces, key=lambda piece: (piece.end, -piece.begin)):
        before = best[piece.begin]
        if before is None or (limit_bytes is not None and piece.peak_bytes > limit_bytes):
            continue
        peak = max(before[0], piece.peak_bytes) if limit_bytes is None else limit_bytes
        candidate = (peak, before[1] + piece.streamed_steps, (*before[2], piece))
        current = best[piece.end]
        if current is None or candidate[:2] < current[:2]:
            best[piece.end] = candidate
    result = best[-1]
    assert result is not None, "running every step by itself is always possible"
    return result
