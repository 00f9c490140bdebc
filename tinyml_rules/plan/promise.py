"""What the best cut of a program with groups promises to take, and what it would with others.

A group changes only the tasks that have steps of it: the peaks of all others, and those of the best
cuts of what is before and after these tasks, stay as they are.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from tinyml_rules.plan.cut import NO_WAY, offer
from tinyml_rules.plan.facts import Fact
from tinyml_rules.plan.growth import LONGEST_STREAM, Growth
from tinyml_rules.plan.pieces import Pieces, Stream

Groups = Mapping[int, Fact]
"""Groups of a program, by the place of the first step."""


@dataclass
class _Tasks:
    """Those that begin at a place: `flat` has (end, peak) of each, one number after the other; a
    stream can go on up to `reach`."""

    reach: int
    flat: array[int]

    def __iter__(self) -> Iterator[Stream]:
        flat = iter(self.flat)
        return zip(flat, flat, strict=True)


class Promise:
    """A program with `groups`, and what the best cuts into tasks of at most `most_bytes` take of
    all that is before each place, and of all that is after it.  `pieces` are those of the program
    without groups, `known` is the same promise for other groups.  Cuts of what is before end at
    most at the `front`."""

    def __init__(
        self,
        pieces: Pieces,
        groups: Groups,
        *,
        is_pushed: bool,
        most_bytes: int,
        known: Promise | None = None,
    ) -> None:
        self.groups = groups
        self._single = pieces
        self._pieces = pieces.with_groups(groups)
        self._is_pushed = is_pushed
        self._grown: dict[tuple[int, int], list[Growth]] = {}
        self._before: list[int] = []
        self._after: list[int] = []
        self.front = 0
        self.most_bytes = most_bytes
        if known is None:
            self._places = [*self._pieces.places(0, len(pieces))]
            self._tasks = {begin: self._tasks_from(begin) for begin in self._places}
            self.limit_to(most_bytes)
        else:
            self._change(known, *_changed(known.groups, groups))

    def _change(self, known: Promise, first: int, last: int) -> None:
        """Take all from another promise but what groups between two places may change."""
        old = known._places
        inside = [*self._pieces.places(first, last)]
        self._places = [*old[: bisect_left(old, first)], *inside, *old[bisect_left(old, last) :]]
        self._tasks = {**known._tasks}
        for begin in (*known._reaching(first), *inside):
            self._tasks[begin] = self._tasks_from(begin)
        self._before, self._after = known._before.copy(), known._after.copy()
        self._look_before(first)
        self._look_after(first, last)

    def limit_to(self, most_bytes: int) -> None:
        """Count only tasks that take no more."""
        self.most_bytes = most_bytes
        self._grown.clear()
        count = len(self._single)
        self._before, self._after = [0, *[NO_WAY] * count], [*[NO_WAY] * count, 0]
        self._look_before(0)
        self._look_after(0, count)

    def _look_before(self, first: int) -> None:
        """The bytes before all places after the first, and the front."""
        before, most_bytes = self._before, self.most_bytes
        before[first + 1 :] = [NO_WAY] * (len(before) - first - 1)
        self.front = first
        for begin in self._places[max(bisect_left(self._places, first) - LONGEST_STREAM, 0) :]:
            if begin > self.front:
                break
            if before[begin] <= most_bytes:
                for end, peak in self._tasks[begin]:
                    if end > first and peak <= most_bytes:
                        before[end] = min(before[end], max(before[begin], peak))
                        self.front = max(self.front, end)
        while before[self.front] > most_bytes:
            self.front -= 1

    def _look_after(self, first: int, last: int) -> None:
        """The bytes after all places before the last, as far as a change after the first goes."""
        same = 0
        for begin in reversed(self._places[: bisect_left(self._places, last)]):
            ways = (max(self._after[end], peak) for end, peak in self._tasks[begin])
            found = min(ways, default=NO_WAY)
            same = 0 if begin >= first or found != self._after[begin] else same + 1
            if same > LONGEST_STREAM:
                break
            self._after[begin] = found

    @property
    def lowest(self) -> int:
        """Bytes of the best cut of all; more than `most_bytes` where there is none."""
        return self._before[-1]

    def with_groups(self, groups: Groups) -> Promise:
        """That of other groups."""
        return Promise(
            self._single,
            groups,
            is_pushed=self._is_pushed,
            most_bytes=self.most_bytes,
            known=self,
        )

    def estimate(self, groups: Groups) -> tuple[bool, int]:
        """With other groups: whether they make a cut of all possible, and the bytes of the best
        one; else those of the best that gets further than the front, NO_WAY where none does."""
        first, last = _changed(self.groups, groups)
        pieces, most_bytes, front = self._single.with_groups(groups), self.most_bytes, self.front
        before = {first: self._before[first]}

        def is_end(end: int) -> bool:
            return end < last or end > front or self._after[end] <= most_bytes

        def put(so_far: int, tasks: Iterable[Stream]) -> None:
            for end, peak in tasks:
                before[end] = min(before.get(end, NO_WAY), max(so_far, peak))

        for begin in self._reaching(first):
            so_far = self._before[begin]
            for growth in self._grown_to(begin, first) if so_far <= most_bytes else ():
                forked = pieces.forked(growth)
                put(so_far, pieces.streams(forked, most_bytes=most_bytes, is_end=is_end))
        for begin in pieces.places(first, last):
            if before.get(begin, NO_WAY) <= most_bytes:
                growths = _growths(pieces, begin, is_pushed=self._is_pushed)
                put(before[begin], self._tasks_of(pieces, begin, growths, is_end))
        ends = [end for end in before if end >= last]
        complete = min((max(before[end], self._after[end]) for end in ends), default=NO_WAY)
        if complete <= most_bytes:
            return True, complete
        return False, min((before[end] for end in ends if end > front), default=NO_WAY)

    def _tasks_from(self, begin: int) -> _Tasks:
        growths = _growths(self._pieces, begin, is_pushed=self._is_pushed)
        flat = array("q")
        offer(flat, self._tasks_of(self._pieces, begin, growths))
        return _Tasks(max(each.end for each in growths), flat)

    def _tasks_of(
        self,
        pieces: Pieces,
        begin: int,
        growths: Iterable[Growth],
        is_end: Callable[[int], bool] = lambda _: True,
    ) -> Iterator[Stream]:
        """Those from a place on that end where one may."""
        most_bytes, end = self.most_bytes, pieces.after(begin)
        if not (self._is_pushed and begin == 0) and is_end(end):
            peak = pieces.layer_peak(begin)
            if peak <= most_bytes:
                yield end, peak
        for growth in growths:
            yield from pieces.streams(growth, most_bytes=most_bytes, is_end=is_end)

    def _reaching(self, place: int) -> Iterator[int]:
        """Where the tasks begin that may have steps from a place on."""
        end = bisect_left(self._places, place)
        for begin in self._places[max(end - LONGEST_STREAM, 0) : end]:
            if self._tasks[begin].reach >= place:
                yield begin

    def _grown_to(self, begin: int, place: int) -> list[Growth]:
        """The streams from one place to another."""
        if (begin, place) not in self._grown:
            growths = _growths(self._pieces, begin, is_pushed=self._is_pushed)
            for growth in growths:
                for _ in growth.ends(self.most_bytes, place):
                    pass
            self._grown[begin, place] = [each for each in growths if each.end == place]
        return self._grown[begin, place]


def _growths(pieces: Pieces, begin: int, *, is_pushed: bool) -> list[Growth]:
    if not is_pushed or begin > 0:
        return [pieces.growth(begin)]
    return [pieces.growth(begin, is_pushed=True, lends=lends) for lends in (False, True)]


def _changed(old: Groups, new: Groups) -> tuple[int, int]:
    """The first place at which groups are not the same, and the one after the last."""
    changed = [
        (begin, begin + groups[begin].places)
        for groups, others in ((old, new), (new, old))
        for begin in groups
        if others.get(begin) is not groups[begin]
    ]
    return min(begin for begin, _ in changed), max(end for _, end in changed)
