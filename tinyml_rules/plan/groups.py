"""Which steps become groups (`lower/groups.py`): plans with less and less RAM, and more products.

From the plan without groups on, the steps of the tasks that need the most memory at a time are
looked at: of all groups of a few of them, the one that saves the most bytes for a product is taken,
until none saves any.  A group that a new one meets keeps what is left of it.  What a group saves is
estimated from the peaks of the tasks; only what is taken is placed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from tinyml_rules.ir.program import Program
from tinyml_rules.lower.groups import Grouping, Span
from tinyml_rules.plan.growth import Fact, fact_of
from tinyml_rules.plan.memory_plan import MemoryPlan, Point
from tinyml_rules.plan.pieces import Pieces
from tinyml_rules.plan.promise import Promise
from tinyml_rules.plan.tasks import Schedule, Task

MOST_STEPS = 300
"""Of a program in which groups are looked for."""
_MOST_ESTIMATES = 1_000
"""Groups that are looked at; a network of 30 layers has about 200."""
_LENGTHS = range(2, 6)
"""Steps of a new group."""


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
    where none does; `first` where there is no limit, or none of it is needed."""
    if most_bytes is None or first[1].ram_bytes <= most_bytes:
        return first
    found = []
    for each in curve(grouping, planned, first):
        found.append(each)
        if each.plan.ram_bytes <= most_bytes:
            break
    taken = found[-1]
    return taken.schedule, replace(taken.plan, curve=tuple(each.point for each in found))


class _Search:
    """Looks for groups of a program's steps, which are named by their places."""

    def __init__(self, grouping: Grouping, *, is_pushed: bool) -> None:
        self._grouping = grouping
        self._is_pushed = is_pushed
        self._pieces = Pieces(grouping.program)
        self._facts: dict[Span, Fact] = {}
        self._promise: Promise | None = None
        self._places = {step.name: n for n, step in enumerate(grouping.program.steps)}
        self._left = _MOST_ESTIMATES

    def better(self, best: Grouped) -> Iterator[_Spans]:
        """Spans that should take less RAM, the most bytes a product first."""
        groups, most_bytes = self._groups(best.spans), best.plan.arena_bytes
        if self._promise is None:
            self._promise = Promise(
                self._pieces, groups, is_pushed=self._is_pushed, most_bytes=most_bytes
            )
        elif self._promise.groups != groups:
            self._promise = self._promise.with_groups(groups)
        promise = self._promise
        promise.limit_to(min(promise.lowest, most_bytes) - 1)
        tasks = [[*self._places_of(task)] for task in best.schedule.tasks]
        for spans in self._ways(promise, best.spans, tasks):
            found = self._completed(promise, spans, tasks)
            if found is not None:
                yield found

    def _completed(
        self, promise: Promise, spans: _Spans | None, tasks: Sequence[Sequence[int]]
    ) -> _Spans | None:
        """The same with further groups for the tasks behind, so that there is a cut."""
        while spans is not None:
            promise = promise.with_groups(self._groups(spans))
            if promise.front == len(self._pieces):
                break
            spans = next(iter(self._ways(promise, spans, tasks)), None)
        return spans

    def _ways(
        self, promise: Promise, spans: _Spans, tasks: Sequence[Sequence[int]]
    ) -> Sequence[_Spans]:
        """Spans with one more, with which a cut gets further, those first that make one of all
        possible."""
        scores: dict[_Spans, tuple[bool, float]] = {}
        front, products = promise.front, self._more_products(spans)
        (task,) = [each for each in tasks if front in each]
        for found in dict.fromkeys(self._next(spans, min(task), max(task))):
            if self._left == 0:
                break
            self._left -= 1
            is_complete, size = promise.estimate(self._groups(found))
            more = self._more_products(found) - products
            if size <= promise.most_bytes:
                scores[found] = is_complete, (promise.most_bytes + 1 - size) / max(more, 1)
        return sorted(scores, key=lambda found: scores[found], reverse=True)

    def _groups(self, spans: _Spans) -> dict[int, Fact]:
        for span in spans:
            if span not in self._facts:
                group, places = self._grouping.group(span), span[1] - span[0]
                assert group is not None
                self._facts[span] = fact_of(group, self._grouping.program, places=places)
        return {span[0]: self._facts[span] for span in spans}

    def _more_products(self, spans: _Spans) -> int:
        """What their groups make in addition."""
        return sum(
            fact.step.macs - sum(step.macs for step in self._grouping.program.steps[begin:end])
            for begin, end in spans
            for fact in (self._facts[begin, end],)
        )

    def _places_of(self, task: Task) -> Iterator[int]:
        for step in task.steps:
            yield from (self._places[each.name] for each in step.inner or (step,))

    def _next(self, spans: _Spans, first: int, last: int) -> Iterator[_Spans]:
        """Each new group of some of these steps, with those that are there."""
        for begin in range(max(first - 1, 0), last + 1):
            for length in _LENGTHS:
                span = begin, begin + length
                if span not in spans and self._is_group(span):
                    kept = (rest for each in spans for rest in _rests(each, span))
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
