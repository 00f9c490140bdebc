"""Program -> Schedule: which tensors are whole, and which steps run row by row in between.

It minimizes the peak, then the number of streamed steps: first the order of the steps, if there is
a choice, and the peak of its best cut into tasks; then the cut with the fewest streamed steps
within that peak, or within the user's limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, partial

from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.program import Program
from tinyml_rules.plan.cut import Cuts, Cutter
from tinyml_rules.plan.dry_run import dry_run
from tinyml_rules.plan.inside import guests_of, put_inside, worth_it
from tinyml_rules.plan.lifetimes import lifetimes, step_lifetimes
from tinyml_rules.plan.order import orders
from tinyml_rules.plan.pieces import Pieces
from tinyml_rules.plan.place import place
from tinyml_rules.plan.reach import row_inputs
from tinyml_rules.plan.state import state_bytes
from tinyml_rules.plan.streams import rows_of, shrink, whole_rings
from tinyml_rules.plan.strips import in_pieces
from tinyml_rules.plan.tasks import Schedule, Task


class Mode(StrEnum):
    """The user's choice: `stream` wherever possible, `layer` never, `auto` for the least RAM."""

    AUTO = "auto"
    LAYER = "layer"
    STREAM = "stream"


def schedule(
    program: Program,
    *,
    mode: Mode = Mode.AUTO,
    is_pushed: bool = False,
    ram_bytes: int | None = None,
    parts: int = 0,
) -> Schedule:
    """The schedule with the lowest peak, or the one with the least streaming within `ram_bytes`;
    `parts`: into how many pieces streams cut their rows, where they can.

    Raises UnsupportedError if rows cannot be pushed.
    """
    if len(program.steps) == 1 and not is_pushed:
        return Schedule(program, (Task(program.steps),))
    limit = ram_bytes or 0
    programs = _possible(orders(program), is_pushed=is_pushed)
    cutters = [
        (each, _cutter(each, mode, limit, is_pushed=is_pushed, parts=parts)) for each in programs
    ]
    apart = _promise(cutters, mode, limit) if is_pushed else (0, 0)
    if is_pushed and _promise(cutters, mode, limit, lends=True) < apart:
        lent = _lowest(cutters, mode, limit, is_pushed=True, lends=True)
        if lent.taken_bytes < apart[1]:
            return lent.schedule
        other = _lowest(cutters, mode, limit, is_pushed=True)
        return (lent if lent.taken_bytes < other.taken_bytes else other).schedule
    return _lowest(cutters, mode, limit, is_pushed=is_pushed).schedule


@dataclass(frozen=True, eq=False)
class _Found:
    """A schedule, and into how many pieces each of its tasks cuts its rows, where it can."""

    made: Callable[..., Schedule]
    parts: tuple[int, ...]

    @cached_property
    def schedule(self) -> Schedule:
        return self.made(parts=self.parts)

    @cached_property
    def taken_bytes(self) -> int:
        """Bytes of the arena after placement, sums included."""
        steps = self.schedule
        return place(steps, lifetimes(steps), state_bytes=state_bytes(steps)).arena_bytes

    def with_fewest_parts(self, most_bytes: int) -> _Found:
        """The same cut with as few pieces in each task as `most_bytes` allow."""
        found = self
        for number, task in enumerate(self.schedule.tasks):
            for fewer in range(self.parts[number] if task.is_in_pieces else 0):
                parts = (*found.parts[:number], fewer, *found.parts[number + 1 :])
                other = _Found(self.made, parts)
                if other.taken_bytes <= most_bytes:
                    found = other
                    break
        return found


_Cutters = Sequence[tuple[Program, Cutter]]
"""The orders of a program, with the cuts of each."""


def _promise(cutters: _Cutters, mode: Mode, limit: int, *, lends: bool = False) -> tuple[int, int]:
    """(tasks or 0, bytes) that the best cut of all orders should take, or the user's `limit`."""
    if mode is Mode.STREAM:
        return min(cutter.best(counts_tasks=True, lends=lends)[0] for _, cutter in cutters)
    return 0, max(limit, min(cutter.lowest_peak(lends=lends) for _, cutter in cutters))


def _lowest(
    cutters: _Cutters, mode: Mode, limit: int, *, is_pushed: bool, lends: bool = False
) -> _Found:
    """The schedule with the lowest arena of those that may be the best; `lends`: the ring of pushed
    rows to the result of their stream."""
    if mode is Mode.STREAM:
        ways = [(cutter.best(counts_tasks=True, lends=lends), each) for each, cutter in cutters]
        (_, cuts), program = min(ways, key=lambda way: way[0][0])
        parts = (cutters[0][1].parts,) * len(cuts)
        return _Found(partial(_cut, program, cuts, is_pushed=is_pushed, lends=lends), parts)
    program, cutter = min(cutters, key=lambda pair: pair[1].lowest_peak(lends=lends))
    promised = max(cutter.lowest_peak(lends=lends), limit)
    best: _Found | None = None
    possible = _alternatives(program, cutter, mode, limit, is_pushed=is_pushed, lends=lends)
    for peak, cuts, covers_sources in possible:
        if best is not None and best.taken_bytes <= peak:
            continue
        made = partial(
            _cut, program, cuts, is_pushed=is_pushed, lends=lends, covers_sources=covers_sources
        )
        found = _Found(made, (cutter.parts,) * len(cuts))
        if best is None or found.taken_bytes < best.taken_bytes:
            best = found
        if best.taken_bytes <= promised:
            break
    assert best is not None
    return best.with_fewest_parts(max(best.taken_bytes, limit))


def _alternatives(
    program: Program, cutter: Cutter, mode: Mode, limit: int, *, is_pushed: bool, lends: bool
) -> Iterator[tuple[int, Cuts, bool]]:
    """The cut that should be the best, with its peak, then others: a stream walks one way only, so
    that not all of several consecutive streams can overlap their sources as far as a single one
    could."""
    cutters = [(cutter, True)]
    if mode is Mode.AUTO:
        apart = _cutter(
            program,
            mode,
            limit,
            is_pushed=is_pushed,
            covers_sources=False,
            parts=cutter.parts,
        )
        cutters.append((apart, False))
    for each, covers_sources in cutters:
        lowest = each.lowest_peak(lends=lends)
        for most_bytes in dict.fromkeys((max(lowest, limit), lowest)):
            (_, peak), cuts = each.best(most_bytes, lends=lends)
            yield peak, cuts, covers_sources


def pushable(program: Program) -> Program:
    """The program in the best order in which rows can be pushed; raises UnsupportedError."""
    return _possible(orders(program), is_pushed=True)[0]


def _possible(programs: Sequence[Program], *, is_pushed: bool) -> Sequence[Program]:
    """The orders in which rows can be pushed, if they are; the error of the first if none can."""
    if not is_pushed:
        return programs
    found, errors = [], []
    for program in programs:
        try:
            _check_can_push(program)
        except UnsupportedError as error:
            errors.append(error)
        else:
            found.append(program)
    if not found:
        raise errors[0]
    return found


def _cutter(
    program: Program,
    mode: Mode,
    ram_bytes: int = 0,
    *,
    is_pushed: bool,
    covers_sources: bool = True,
    parts: int = 0,
) -> Cutter:
    return Cutter(
        Pieces(program, covers_sources=covers_sources, parts=parts),
        is_pushed=is_pushed,
        has_streams=mode is not Mode.LAYER,
        has_limit=mode is not Mode.STREAM,
        ram_bytes=ram_bytes,
    )


def _cut(
    program: Program,
    cuts: Cuts,
    *,
    is_pushed: bool,
    lends: bool,
    covers_sources: bool = True,
    parts: Sequence[int] = (),
) -> Schedule:
    """`parts`: into how many pieces each task cuts its rows, where it can."""
    last = {each.tensor: each.last for each in step_lifetimes(program)}
    tasks = []
    for number, (begin, end) in enumerate(cuts):
        is_first = is_pushed and begin == 0
        covered = last if (lends if is_first else covers_sources) else {}
        most = parts[number] if parts else 0
        tasks.append(_task(program, begin, end, covered, is_pushed=is_first, parts=most))
    if lends:
        (ring,) = tasks[0].sources
        tasks[0] = replace(tasks[0], sources=(replace(ring, is_lent=True),))
    return Schedule(program, tuple(tasks), is_pushed)


def _task(
    program: Program,
    begin: int,
    end: int,
    last: Mapping[int, int],
    *,
    is_pushed: bool,
    parts: int,
) -> Task:
    """`last`: for each stored tensor that a result may overlap once it is dead, its last step."""
    steps = program.steps[begin:end]
    if len(steps) == 1 and not is_pushed:
        return Task(steps)
    task = whole_rings(program, steps)
    assert task is not None
    guests = guests_of(task, program)
    run = dry_run(task, program, guests=guests, is_pushed=is_pushed)
    dying = [each.tensor for each in task.sources if last.get(each.tensor, end) < end]
    small = shrink(task, run, is_pushed=is_pushed)
    for each in (parts, min(parts, 1)):
        divided = in_pieces(small, program, each, guests)
        if divided is not None:
            return divided
    return put_inside(small, worth_it(small, run, guests, dying))


def _check_can_push(program: Program) -> None:
    graph = program.graph
    if program.may_end:
        raise UnsupportedError.at(
            graph.name, "some inferences end early, which is not supported with push_rows"
        )
    first = program.steps[0] if program.steps else None
    readers = [
        step for step in program.steps if graph.inputs[0] in map(program.buffer_of, step.inputs)
    ]
    is_alone = first is not None and len({*map(program.buffer_of, row_inputs(first))}) == 1
    rows = rows_of(first, program) if first is not None and is_alone else None
    if len(graph.inputs) != 1 or readers != [first] or rows is None or rows.input_rows is None:
        raise UnsupportedError.at(
            graph.name,
            "rows cannot be pushed: the first operator does not take its one input row by row",
        )
    for tensor in graph.outputs:
        if program.buffer_of(tensor) == graph.inputs[0]:
            raise UnsupportedError.at(
                graph.name,
                f"output tensor {graph.tensors[tensor]} is the input's own bytes, of which only a "
                "few rows are kept when rows are pushed",
                hint="without pushed rows the whole input is kept",
            )
