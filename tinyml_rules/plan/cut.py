"""Cuts a program into tasks: the cut with the lowest peak, or the fewest streamed steps or tasks.

Dynamic programming over the peak of each possible task.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import accumulate

from tinyml_rules.plan.pieces import Pieces

NO_WAY = 2**62
"""More than any number of steps or bytes."""

Cuts = list[tuple[int, int]]
"""(begin, end) of each task, in order."""


def offer(flat: array[int], streams: Iterable[tuple[int, int]]) -> None:
    """Append the numbers of each, (end, peak), one after the other: a long model has millions."""
    for stream in streams:
        flat.extend(stream)


class Cutter:
    """The possible tasks, by their first step.

    `has_streams`: steps may run row by row; pushed rows always do.  `has_limit`: only tasks that
    take no more than whole tensors would, or than the user's `ram_bytes`.  In cuts that lend, the
    ring of pushed rows is lent to the result of their stream.
    """

    def __init__(
        self,
        pieces: Pieces,
        *,
        is_pushed: bool,
        has_streams: bool,
        has_limit: bool,
        ram_bytes: int,
    ) -> None:
        self._count = len(pieces)
        self.parts = pieces.parts
        self._is_pushed = is_pushed
        self._layers = [pieces.layer_peak(place) for place in range(self._count)]
        self._streams = [array("q") for _ in range(self._count)]
        self._lending = array("q")
        if is_pushed:
            offer(self._streams[0], pieces.streams(pieces.growth(0, is_pushed=True)))
            lending = pieces.growth(0, is_pushed=True, lends=True)
            offer(self._lending, pieces.streams(lending))
        if not has_streams:
            return
        most_bytes = self._enough_bytes(ram_bytes) if has_limit else None
        for begin in range(1 if is_pushed else 0, self._count):
            offer(self._streams[begin], pieces.streams(pieces.growth(begin), most_bytes=most_bytes))

    def _enough_bytes(self, ram_bytes: int) -> int:
        """Bytes of a cut without streams other than that of pushed rows: a task that takes more is
        useless, unless it avoids streaming within the user's limit."""
        if not self._is_pushed:
            return max(self._layers, default=0)
        behind = [*accumulate(reversed(self._layers), max, initial=0)]
        ways = (max(peak, behind[self._count - end]) for end, peak, _ in self._from(0))
        return max(min(ways), ram_bytes)

    def _from(self, begin: int, *, lends: bool = False) -> Iterator[tuple[int, int, int]]:
        """(end, peak, streamed steps) of each task that begins there."""
        if not (self._is_pushed and begin == 0):
            yield begin + 1, self._layers[begin], 0
        flat = iter(self._lending if lends and begin == 0 else self._streams[begin])
        for end, peak in zip(flat, flat, strict=True):
            yield end, peak, end - begin

    def lowest_peak(self, *, lends: bool = False) -> int:
        """The lowest peak of all cuts, in bytes."""
        lowest = [0, *[NO_WAY] * self._count]
        for begin in range(self._count):
            for end, peak, _ in self._from(begin, lends=lends):
                lowest[end] = min(lowest[end], max(lowest[begin], peak))
        return lowest[-1]

    def best(
        self, limit: int = NO_WAY, *, counts_tasks: bool = False, lends: bool = False
    ) -> tuple[tuple[int, int], Cuts]:
        """((streamed steps or tasks, peak in bytes), cuts): the fewest of the former, then the
        lowest peak, among tasks that take no more than `limit` bytes."""
        costs = [(0, 0), *[(NO_WAY, NO_WAY)] * self._count]
        begins = [0] * (self._count + 1)
        for begin in range(self._count):
            steps, highest = costs[begin]
            for end, peak, streamed in self._from(begin, lends=lends):
                cost = (steps + (1 if counts_tasks else streamed), max(highest, peak))
                if peak <= limit and cost <= costs[end]:
                    costs[end], begins[end] = cost, begin
        cuts: Cuts = []
        end = self._count
        while end > 0:
            cuts.append((begins[end], end))
            end = begins[end]
        return costs[-1], cuts[::-1]
