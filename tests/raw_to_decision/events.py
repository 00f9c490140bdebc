"""What `head = "event"` of a description means, in fractions: written from
docs/how-to/decisions.md, with all results kept and nothing counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tests.raw_to_decision.exact import Quantization

Keys = Mapping[str, object]
"""Numbers that are not whole as text."""


@dataclass
class Events:
    """`keys`: those of the table; `thresholds`: one for all values, or one each."""

    keys: Keys
    thresholds: Sequence[str]
    labels: Sequence[str]
    tensor: Quantization
    results: list[Sequence[int]] = field(default_factory=list)
    levels: list[int | None] = field(default_factory=list)
    last: int | None = None
    """The class of the last event, or background that took its place, while it counts."""
    time: int = 0
    event_time: int | None = None
    """Of the last event, and now, in results that a restart does not forget."""

    def take(self, values: Sequence[int]) -> int:
        """The event of a result, or -1."""
        self.time += 1
        self.results.append(values)
        level = self._level()
        self.levels.append(level)
        if "suppression" not in self._waits and level != self.last:
            self.last = None
        if level is None or not self._is_allowed(level):
            return -1
        self.last = level
        if level in [self.labels.index(each) for each in self._list("background")]:
            return -1
        self.event_time = self.time
        if self.keys.get("restart"):
            self.results, self.levels, self.last = [], [], None
        return level

    def reset(self) -> None:
        """As before the first result."""
        self.results, self.levels, self.last, self.event_time = [], [], None, None

    @property
    def _waits(self) -> dict[str, Fraction]:
        """By key, in results."""
        found = {}
        for key in ("refractory", "suppression"):
            if key in self.keys:
                found[key] = Fraction(str(self.keys[key]))
            elif f"{key}_ms" in self.keys:
                period = Fraction(str(self.keys["period_ms"]))
                found[key] = Fraction(str(self.keys[f"{key}_ms"])) / period
        return found

    def _list(self, key: str) -> list[str]:
        found = self.keys.get(key, [])
        assert isinstance(found, list)
        return [str(each) for each in found]

    def _is_later(self, key: str) -> bool:
        """Whether the time of a key has passed since the last event."""
        if key not in self._waits or self.event_time is None:
            return True
        return self.time - self.event_time > self._waits[key]

    def _is_allowed(self, level: int) -> bool:
        needed, voters = self._votes()
        votes = self.levels[-voters:].count(level)
        is_warm = len(self.results) > int(str(self.keys.get("warm_up", 0)))
        is_new = level != self.last
        if "suppression" in self._waits:
            is_new = is_new or self._is_later("suppression")
        return votes >= needed and is_warm and self._is_later("refractory") and is_new

    def _votes(self) -> tuple[int, int]:
        if "votes" in self.keys:
            needed, voters = map(int, self._list("votes"))
            return needed, voters
        count = int(str(self.keys.get("debounce", 1)))
        return count, count

    def _level(self) -> int | None:
        """The class that is on."""
        window = int(str(self.keys.get("window", 1)))
        last = self.results[-window:]
        if len(last) < int(str(self.keys.get("minimum_count", window))):
            return None
        means = [self._mean(column) for column in zip(*last, strict=True)]
        before = self.levels[-1] if self.levels else None
        off = self.keys.get("off_threshold")
        if off is not None and before is not None:
            ends = off if isinstance(off, list) else [off]
            if means[before] >= Fraction(str(ends[before if len(ends) > 1 else 0])):
                return before
        best = max(range(len(means)), key=lambda place: (means[place], -place))
        threshold = self.thresholds[best if len(self.thresholds) > 1 else 0]
        return best if means[best] >= Fraction(threshold) else None

    def _mean(self, column: Sequence[int]) -> Fraction:
        mean = Fraction(sum(column), len(column))
        if self.keys.get("round_down"):
            mean = Fraction(mean.__floor__())
        return Fraction(self.tensor.scale) * (mean - self.tensor.zero_point)
