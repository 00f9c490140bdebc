"""A placement without search: each tensor at the first offset where it fits, in a few orders.

Small and regular models are placed optimally: chains whose tensors alternate between the bottom and
the top, or are next to each other.  A height equal to the lower bound is the proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tinyml_rules.plan.memory_plan import Lifetime
from tinyml_rules.plan.overlap import Overlap
from tinyml_rules.plan.relations import Overlaps
from tinyml_rules.plan.search import Placement


@dataclass(frozen=True)
class _Way:
    """The rules of one placement.

    backwards: from the last tensor that dies to the first, instead of in the order of births.
    turns: an output whose input is at the bottom goes to the top of the arena, and the other way
    round, instead of always as low as it fits; `starts_on_top`: so does the first of all.
    leaves_room: below what a stream begins with there is room for the result, which is nowhere else
    over it.
    """

    backwards: bool
    turns: bool = False
    starts_on_top: bool = False
    leaves_room: bool = False


_WAYS = (
    _Way(backwards=False),
    _Way(backwards=False, leaves_room=True),
    _Way(backwards=True),
    *(
        _Way(backwards, turns=True, starts_on_top=starts_on_top)
        for backwards in (False, True)
        for starts_on_top in (False, True)
    ),
)


def fit(lifetimes: Sequence[Lifetime], overlaps: Overlaps, *, lower_bound_bytes: int) -> Placement:
    """The lowest of a few placements, the first of those; none is tried after one that meets the
    bound."""
    best: Placement | None = None
    for way in _WAYS:
        found = _Fitting(lifetimes, overlaps, way, lower_bound_bytes).placement()
        if best is None or found.arena_bytes < best.arena_bytes:
            best = found
        if best.arena_bytes == lower_bound_bytes:
            break
    assert best is not None
    return best


class _Fitting:
    """One placement under construction."""

    def __init__(
        self,
        lifetimes: Sequence[Lifetime],
        overlaps: Overlaps,
        way: _Way,
        ceiling_bytes: int,
    ) -> None:
        self._lifetimes = lifetimes
        self._way = way
        self._ceiling_bytes = ceiling_bytes
        self._offsets = [0] * len(lifetimes)
        self._is_on_top = [way.starts_on_top] * len(lifetimes)
        self._directions: dict[int, bool] = {}
        self._partners: dict[int, dict[int, Overlap]] = {}
        for (source, target), overlap in overlaps.items():
            self._partners.setdefault(source, {})[target] = overlap
            self._partners.setdefault(target, {})[source] = overlap

        self._room = [0] * len(lifetimes)
        for (source, _), overlap in overlaps.items() if way.leaves_room else ():
            if overlap.descending is None and overlap.ascending is not None:
                self._room[source] = max(self._room[source], overlap.ascending)

    def placement(self) -> Placement:
        """The offsets, tensor by tensor."""
        for place, alive in self._in_order():
            self._put(place, alive)
        ends = [
            offset + lifetime.size_bytes
            for offset, lifetime in zip(self._offsets, self._lifetimes, strict=True)
        ]
        descending = frozenset(task for task, down in self._directions.items() if down)
        return Placement(max(ends), tuple(self._offsets), descending, is_proved=False)

    def _in_order(self) -> Iterator[tuple[int, list[int]]]:
        """Each tensor with those that are placed already and alive with it."""
        lives = [
            (-each.last, -each.first) if self._way.backwards else (each.first, each.last)
            for each in self._lifetimes
        ]
        # of those that begin together the longest-lived first, then the largest
        order = sorted(
            range(len(lives)),
            key=lambda place: (
                lives[place][0],
                -lives[place][1],
                -self._lifetimes[place].size_bytes,
                place,
            ),
        )
        alive: list[int] = []
        for place in order:
            alive = [each for each in alive if lives[each][1] >= lives[place][0]]
            yield place, alive
            alive.append(place)

    def _put(self, place: int, alive: Sequence[int]) -> None:
        partners = self._partners.get(place, {})
        partners = {each: partners[each] for each in alive if each in partners}
        on_top = False
        if self._way.turns and partners:
            largest = max(partners, key=lambda each: (self._lifetimes[each].size_bytes, -each))
            on_top = not self._is_on_top[largest]
        elif self._way.turns and place in self._partners:
            on_top = self._way.starts_on_top
        self._is_on_top[place] = on_top
        task = self._task(place, partners)
        settled = self._directions.get(task)
        directions = (False, True) if settled is None else (settled,)
        choices = []
        for is_descending in directions:
            blocks = self._blocks(place, alive, partners, is_descending=is_descending)
            offset = self._offset(place, blocks, on_top=on_top)
            is_below = offset + self._lifetimes[place].size_bytes <= self._ceiling_bytes
            choices.append((-offset if on_top and is_below else offset, is_descending, offset))
        _, is_descending, self._offsets[place] = min(choices)
        if self._overlaps_any(place, partners):
            self._directions[task] = is_descending

    def _task(self, place: int, partners: Mapping[int, Overlap]) -> int:
        """The task at which a tensor and its partners are input and output."""
        for each in partners:
            return max(self._lifetimes[place].first, self._lifetimes[each].first)
        return -1

    def _overlaps_any(self, place: int, partners: Mapping[int, Overlap]) -> bool:
        begin = self._offsets[place]
        end = begin + self._lifetimes[place].size_bytes
        return any(
            self._offsets[each] < end
            and begin < self._offsets[each] + self._lifetimes[each].size_bytes
            for each in partners
        )

    def _blocks(
        self,
        place: int,
        alive: Sequence[int],
        partners: Mapping[int, Overlap],
        *,
        is_descending: bool,
    ) -> list[tuple[int, int]]:
        """Ranges in which the tensor cannot begin: after the first of each pair, before the
        second."""
        size = self._lifetimes[place].size_bytes
        blocks = []
        for each in alive:
            begin = self._offsets[each]
            down, up = size, self._lifetimes[each].size_bytes
            overlap = partners.get(each)
            if overlap is not None:
                is_source = self._lifetimes[each].first < self._lifetimes[place].first
                distance = overlap.descending if is_descending else overlap.ascending
                # the output is below its input if the walk is upwards, else above
                if distance is not None and is_source is not is_descending:
                    down = min(down, distance)
                elif distance is not None:
                    up = min(up, distance)
            blocks.append((begin - down, begin + up))
        return blocks

    def _offset(self, place: int, blocks: list[tuple[int, int]], *, on_top: bool) -> int:
        """The highest place below the ceiling, where there is one, or else the lowest."""
        if on_top:
            offset = self._ceiling_bytes - self._lifetimes[place].size_bytes
            for low, high in sorted(blocks, key=lambda block: -block[1]):
                if offset >= high:
                    break
                offset = min(offset, low)
            if offset >= 0:
                return offset
        offset = self._room[place]
        for low, high in sorted(blocks):
            if offset <= low:
                break
            offset = max(offset, high)
        return offset
