"""Which steps become groups (`lower/groups.py`): plans with less and less RAM, and more products.

From the plan without groups on, the task that needs the most memory at a time is looked at: of all
groups of a few steps in it or next to it, the one that saves the most bytes for a product is taken,
until none saves any.  A group that a new one meets keeps what is left of it.  What a group saves is
estimated (`promise.py`); only what is taken is placed.

A group makes one pixel at a time, which takes the least RAM.  Of the plan that is taken, each makes
as many as there is room for: a kernel that is called for one pixel does little but begin and end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice

from tinyml_rules.ir.group import Group
from tinyml_rules.ir.program import Program, Step
from tinyml_rules.lower.groups import AtOnce, Grouping, Span
from tinyml_rules.plan.cut import NO_WAY
from tinyml_rules.plan.facts import Fact, fact_of
from tinyml_rules.plan.memory_plan import MemoryPlan, Point
from tinyml_rules.plan.pieces import Pieces
from tinyml_rules.plan.promise import Promise
from tinyml_rules.plan.tasks import Schedule, Task

LARGE = 100
"""Steps of a program beyond which groups are not chosen among all: the first one that lowers a peak
is taken, and only the last plan is placed."""
_MOST_ESTIMATES = 1_000
"""Groups that are looked at; a network of 30 layers has about 200."""
_MOST_FOR_A_STEP = 3
"""The same for each step of a larger one."""
_PLACED_STEPS = 20_000
"""Steps of all programs that are placed."""
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
_Tasks = Mapping[int, Span]
"""By the place of a step, the first and the last one at which groups may begin that have steps of
its task, or steps next to it."""


@dataclass(frozen=True, eq=False)
class Grouped:
    """One of the plans, and its point on the curve."""

    schedule: Schedule
    plan: MemoryPlan
    spans: _Spans = ()
    at_once: AtOnce = field(default_factory=dict)

    @property
    def point(self) -> Point:
        """Its RAM, and the products of an inference."""
        products = sum(step.macs for step in self.schedule.program.steps)
        return Point(self.plan.ram_bytes, products)


def curve(
    grouping: Grouping, planned: Callable[[Program], _Planned], first: _Planned, most_bytes: int
) -> Iterator[Grouped]:
    """Plans that each take less RAM than the one before, the first without groups; of a large
    program the second takes at most `most_bytes`, if any does."""
    search = _Search(grouping, is_pushed=first[0].is_pushed)
    best: Grouped | None = Grouped(*first)
    left = _PLACED_STEPS // max(len(grouping.program.steps), 1)
    while best is not None:
        yield best
        possible = islice(search.better(best, most_bytes), left)
        last, best = best, None
        for spans in possible:
            left -= 1
            found = Grouped(*planned(grouping.grouped(spans)), spans)
            if found.plan.ram_bytes < last.plan.ram_bytes:
                best = found
                break


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
    found: list[Grouped] = []
    for each in curve(grouping, planned, first, most_bytes):
        fewer = (other for other in found[1:] if other.point.products < each.point.products)
        found = [*found[:1], *fewer, each]
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

    def making(at_once: AtOnce) -> Grouped | None:
        if any(grouping.group(*each) is None for each in at_once.items()):
            return None
        return Grouped(*planned(grouping.grouped(best.spans, at_once)), best.spans, at_once)

    groups = {span: step for span in best.spans if (step := grouping.group(span)) is not None}
    left = _PLANNED_STEPS // len(grouping.program.steps)
    for span in sorted(groups, key=lambda span: (-groups[span].macs, span)):
        numbers = [*_pixels_at_once(groups[span])]
        begin, end = 0, len(numbers)
        while begin < end and left > 0:
            middle, left = (begin + end) // 2, left - 1
            found = making({**best.at_once, span: numbers[middle]})
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
    """Looks for groups of a program's steps, which are named by their places."""

    def __init__(self, grouping: Grouping, *, is_pushed: bool) -> None:
        self._grouping = grouping
        self._is_pushed = is_pushed
        self._pieces = Pieces(grouping.program)
        self._facts: dict[Span, Fact] = {}
        self._more: dict[Span, int] = {}
        """The products that each group makes in addition."""
        self._promise: Promise | None = None
        self._places = {step.name: n for n, step in enumerate(grouping.program.steps)}
        self._is_large = len(self._places) > LARGE
        self._left = max(_MOST_ESTIMATES, _MOST_FOR_A_STEP * len(self._places))
        self._like = 0, 0
        """The group of a large program that was taken last, from the front on."""

    def better(self, best: Grouped, most_bytes: int) -> Iterator[_Spans]:
        """Spans that should take less RAM, the most bytes a product first; of a large program only
        those that should take at most `most_bytes`, or else the least."""
        groups, now = self._groups(best.spans), best.plan.arena_bytes
        promise = self._promise
        if promise is None:
            promise = Promise(self._pieces, groups, is_pushed=self._is_pushed, most_bytes=now)
        elif promise.groups != groups:
            promise = promise.with_groups(groups)
        self._promise = promise
        tasks = self._around(best.schedule)
        lowest = min(promise.lowest, now)
        if self._is_large:
            enough = lowest - (best.plan.ram_bytes - most_bytes)
            found = self._repeated(promise, lowest, enough, best.spans, tasks)
            yield from () if found is None else (found,)
            return
        promise.limit_to(lowest - 1)
        for spans in self._ways(promise, best.spans, tasks):
            complete = self._completed(promise, spans, tasks)
            if complete is not None:
                yield complete[1]

    def _repeated(
        self, promise: Promise, lowest: int, enough: int, spans: _Spans, tasks: _Tasks
    ) -> _Spans | None:
        """Spans that should take at most `enough` bytes; else the fewest, by one peak after the
        other."""
        found = None
        for limit in dict.fromkeys((max(enough, 1), lowest - 1)):
            while found is None or lowest > enough:
                promise.limit_to(limit if found is None else lowest - 1)
                ways = self._ways(promise, spans, tasks)
                complete = self._completed(promise, ways[0], tasks) if ways else None
                if complete is None:
                    break
                promise, spans = complete
                found, lowest = spans, promise.lowest
            if found is not None:
                break
        return found

    def _completed(
        self, promise: Promise, spans: _Spans, tasks: _Tasks
    ) -> tuple[Promise, _Spans] | None:
        """The same with further groups for the tasks after it, so that there is a cut."""
        while True:
            promise = promise.with_groups(self._groups(spans))
            if promise.front == len(self._pieces):
                return promise, spans
            ways = self._ways(promise, spans, tasks)
            if not ways:
                return None
            spans = ways[0]

    def _ways(self, promise: Promise, spans: _Spans, tasks: _Tasks) -> Sequence[_Spans]:
        """Spans with one more, with which a cut gets further, those first that make one of all
        possible; of a large program the first that does."""
        scores: dict[_Spans, tuple[bool, float]] = {}
        front, products = promise.front, self._more_products(spans)
        for span in self._new(*tasks[front], front):
            if self._left == 0:
                break
            self._left -= span not in spans
            found = self._with(spans, span)
            is_complete, size = promise.estimate(self._groups(found)) if found else (False, NO_WAY)
            if size > promise.most_bytes:
                continue
            more = self._more_products(found) - products
            scores[found] = is_complete, (promise.most_bytes + 1 - size) / max(more, 1)
            if self._is_large:
                self._like = span[0] - front, span[1] - front
                break
        return sorted(scores, key=lambda found: scores[found], reverse=True)

    def _groups(self, spans: _Spans) -> dict[int, Fact]:
        for span in spans:
            if span not in self._facts:
                group, places = self._grouping.group(span), span[1] - span[0]
                assert group is not None
                self._facts[span] = fact_of(group, self._grouping.program, places=places)
                single = self._grouping.program.steps[span[0] : span[1]]
                self._more[span] = group.macs - sum(step.macs for step in single)
        return {span[0]: self._facts[span] for span in spans}

    def _more_products(self, spans: _Spans) -> int:
        """What their groups make in addition."""
        return sum(self._more[span] for span in spans)

    def _around(self, schedule: Schedule) -> _Tasks:
        places = ([*self._places_of(task)] for task in schedule.tasks)
        most = _LENGTHS[-1]
        return {
            place: (max(min(task) - most, 0), max(task) + 1) for task in places for place in task
        }

    def _places_of(self, task: Task) -> Iterator[int]:
        for step in task.steps:
            yield from (self._places[each.name] for each in step.inner or (step,))

    def _new(self, first: int, last: int, front: int) -> Iterator[Span]:
        """Each group that begins at one of these places; that which is like the last one first."""
        spans = ((begin, begin + length) for begin in range(first, last + 1) for length in _LENGTHS)
        like = front + self._like[0], front + self._like[1]
        yield from filter(self._is_group, dict.fromkeys((like, *spans)))

    def _with(self, spans: _Spans, span: Span) -> _Spans:
        """The spans with a new one, and what is left of the others; none if it is there."""
        if span in spans:
            return ()
        kept = ((rest, each) for each in spans for rest in _rests(each, span))
        found = {rest for rest, each in kept if rest == each or self._is_group(rest)}
        return tuple(sorted({span, *found}))

    def _is_group(self, span: Span) -> bool:
        begin, end = span
        is_inside = 0 <= begin < end - 1 < len(self._places)
        return is_inside and self._grouping.group(span) is not None


def _rests(old: Span, new: Span) -> Iterator[Span]:
    """What is left of a span without another."""
    if old[1] <= new[0] or new[1] <= old[0]:
        yield old
        return
    yield old[0], min(old[1], new[0])
    yield max(old[0], new[1]), old[1]
