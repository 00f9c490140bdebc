"""Which steps become groups (`lower/groups.py`): plans with less and less RAM, and more products.

From the plan without groups on, the steps of the tasks that need the most memory at a time are
looked at: of all groups of a few of them, the one that saves the most bytes for a product is taken,
until none saves any.  A group that a new one meets keeps what is left of it.  What a group saves is
estimated from the peaks of the tasks; only what is taken is placed.

A group makes one pixel at a time, which takes the least RAM.  Of the plan that is taken, each makes
as many as there is room for: a kernel that is called for one pixel does little but begin and end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from tinyml_rules.ir.group import Group
from tinyml_rules.ir.program import Program, Step
from tinyml_rules.lower.groups import Grouping, Pieces, Span
from tinyml_rules.plan.memory_plan import MAIN, MemoryPlan, Point
from tinyml_rules.plan.schedule import promised_bytes
from tinyml_rules.plan.tasks import Schedule

MOST_STEPS = 300
"""Of a program in which groups are looked for."""
_MOST_ESTIMATES = 1_000
"""Groups that are looked at; a network of 30 layers has about 200."""
_LENGTHS = range(2, 6)
"""Steps of a new group."""
_PLANNED_STEPS = 4_000
"""Of the programs that are planned to find how many pixels groups make at a time."""


class Ram(StrEnum):
    """The user's choice where no number of bytes is given."""

    FASTEST = "fastest"
    LEAST = "least"


_Planned = tuple[Schedule, MemoryPlan]
_Spans = tuple[Span, ...]


@dataclass(frozen=True, eq=False)
class Grouped:
    """One of the plans, and its point on the curve."""

    schedule: Schedule
    plan: MemoryPlan
    spans: _Spans = ()
    pieces: Pieces = field(default_factory=dict)

    @property
    def point(self) -> Point:
        """Its RAM, and the products of an inference."""
        products = sum(step.macs for step in self.schedule.program.steps)
        return Point(self.plan.ram_bytes, products)


def curve(
    grouping: Grouping, planned: Callable[[Program], _Planned], first: _Planned
) -> Iterator[Grouped]:
    """Plans that each take less RAM than the one before; the first has no groups."""
    search = _Search(grouping, is_pushed=first[0].is_pushed)
    best = Grouped(*first)
    yield best
    while len(grouping.program.steps) <= MOST_STEPS:
        for spans in search.better(best):
            found = Grouped(*planned(grouping.grouped(spans)), spans)
            if found.plan.ram_bytes < best.plan.ram_bytes:
                best = found
                break
        else:
            return
        yield best


def chosen(
    grouping: Grouping,
    planned: Callable[[Program], _Planned],
    first: _Planned,
    *,
    most_bytes: int | None,
) -> _Planned:
    """Of plans that take less and less RAM the first that takes at most `most_bytes`, and the last
    where none does, with as many pixels at a time as take no more; `first` where there is no limit,
    or none of it is needed."""
    if most_bytes is None or first[1].ram_bytes <= most_bytes:
        return first
    found = []
    for each in curve(grouping, planned, first):
        found.append(each)
        if each.plan.ram_bytes <= most_bytes:
            break
    limit = max(most_bytes, found[-1].plan.ram_bytes)
    found[-1] = taken = _widened(grouping, planned, found[-1], most_bytes=limit)
    return taken.schedule, replace(taken.plan, curve=tuple(each.point for each in found))


def _widened(
    grouping: Grouping,
    planned: Callable[[Program], _Planned],
    best: Grouped,
    *,
    most_bytes: int,
) -> Grouped:
    """The same groups with as many pixels at a time as `most_bytes` have room for: first of the one
    with the most products."""

    def with_pieces(pieces: Pieces) -> Grouped | None:
        if any(grouping.group(*each) is None for each in pieces.items()):
            return None
        return Grouped(*planned(grouping.grouped(best.spans, pieces)), best.spans, pieces)

    groups = {span: step for span in best.spans if (step := grouping.group(span)) is not None}
    left = _PLANNED_STEPS // len(grouping.program.steps)
    for span in sorted(groups, key=lambda span: (-groups[span].macs, span)):
        numbers = [*_pixels_at_once(groups[span])]
        begin, end = 0, len(numbers)
        while begin < end and left > 0:
            middle, left = (begin + end) // 2, left - 1
            found = with_pieces({**best.pieces, span: numbers[middle]})
            if found is not None and found.plan.ram_bytes <= most_bytes:
                best, begin = found, middle + 1
            else:
                end = middle
    return best


def _pixels_at_once(group: Step) -> Iterator[int]:
    """Numbers that are worth a try, up to a row of what the first of its steps makes."""
    assert isinstance(group.facts, Group)
    width = group.facts.members[0].columns.outputs
    for power in range(1, width.bit_length() + 1):
        yield from (pixels for pixels in (2**power, 3 * 2 ** (power - 1)) if pixels < 2 * width)


class _Search:
    """Estimates of spans, each once."""

    def __init__(self, grouping: Grouping, *, is_pushed: bool) -> None:
        self._grouping = grouping
        self._is_pushed = is_pushed
        self._found: dict[_Spans, tuple[int, int]] = {}
        self._places = {step.name: n for n, step in enumerate(grouping.program.steps)}

    def better(self, best: Grouped) -> Sequence[_Spans]:
        """Spans that should take less RAM, the most bytes a product first."""
        bytes_now, products = self._estimate(best.spans)
        scores = {}
        for spans in dict.fromkeys(self._next(best)):
            if spans not in self._found and len(self._found) >= _MOST_ESTIMATES:
                break
            size, more = self._estimate(spans)
            if size < bytes_now:
                scores[spans] = (bytes_now - size) / max(more - products, 1)
        return sorted(scores, key=lambda spans: -scores[spans])

    def _estimate(self, spans: _Spans) -> tuple[int, int]:
        """(bytes, products)."""
        if spans not in self._found:
            program = self._grouping.grouped(spans)
            products = sum(step.macs for step in program.steps)
            self._found[spans] = promised_bytes(program, is_pushed=self._is_pushed), products
        return self._found[spans]

    def _next(self, best: Grouped) -> Iterator[_Spans]:
        """Each new group of some of the steps that need the most, with those that are there."""
        touched = {
            self._places[each.name]
            for task in _highest(best.schedule, best.plan)
            for step in task
            for each in (step.inner or (step,))
        }
        for begin in range(max(min(touched) - 1, 0), max(touched) + 1):
            for length in _LENGTHS:
                span = begin, begin + length
                if span not in best.spans and self._is_group(span):
                    kept = (rest for each in best.spans for rest in _rests(each, span))
                    yield tuple(sorted({span, *filter(self._is_group, kept)}))

    def _is_group(self, span: Span) -> bool:
        begin, end = span
        is_inside = begin + 1 < end <= len(self._places)
        return is_inside and self._grouping.group(span) is not None


def _rests(old: Span, new: Span) -> Iterator[Span]:
    """What is left of a span without another."""
    if old[1] <= new[0] or new[1] <= old[0]:
        yield old
        return
    yield old[0], min(old[1], new[0])
    yield max(old[0], new[1]), old[1]


def _highest(schedule: Schedule, plan: MemoryPlan) -> Iterator[tuple[Step, ...]]:
    """The steps of the tasks that need the whole arena."""
    for number, task in enumerate(schedule.tasks):
        ends = (
            plan.offsets[each.tensor] + each.size_bytes
            for each in plan.lifetimes
            if each.first <= number <= each.last and plan.region(each.tensor) == MAIN
        )
        if max(ends, default=0) >= plan.arena_bytes:
            yield task.steps
