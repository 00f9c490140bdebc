"""Two deciders that firmware has today, each written from its C++, times in milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class RecognizeCommands:
    """tensorflow/lite/micro/examples/micro_speech/recognize_commands.cc, as it was before the
    example lost it: scores are int8 of a scale of 1/256; label 0 is silence."""

    period_ms: int
    average_window_ms: int = 1000
    detection_threshold: int = 200
    suppression_ms: int = 1500
    minimum_count: int = 3
    now_ms: int = 0
    queue: list[tuple[int, Sequence[int]]] = field(default_factory=list)
    previous_label: int = 0
    previous_time: int | None = None

    def process(self, scores: Sequence[int]) -> int:
        """The new command, or -1; silence is none."""
        self.now_ms += self.period_ms
        self.queue.append((self.now_ms, scores))
        while self.queue[0][0] < self.now_ms - self.average_window_ms:
            self.queue.pop(0)
        count = len(self.queue)
        duration = self.now_ms - self.queue[0][0]
        if count < self.minimum_count or duration < self.average_window_ms // 4:
            return -1
        average = [
            sum(result[label] + 128 for _, result in self.queue) // count
            for label in range(len(scores))
        ]
        top, top_score = 0, 0
        for label, score in enumerate(average):
            if score > top_score:
                top, top_score = label, score
        if self.previous_label == 0 or self.previous_time is None:
            since = 2**31 - 1
        else:
            since = self.now_ms - self.previous_time
        is_other = top != self.previous_label
        if top_score > self.detection_threshold and (is_other or since > self.suppression_ms):
            self.previous_label, self.previous_time = top, self.now_ms
            return top if top else -1
        return -1

    @property
    def table(self) -> dict[str, object]:
        """The same as keys of a description."""
        quarter = -(-(self.average_window_ms // 4) // self.period_ms)
        return {
            "threshold": (self.detection_threshold + 1) / 256,
            "window": self.average_window_ms // self.period_ms + 1,
            "minimum_count": max(self.minimum_count, quarter + 1),
            "round_down": True,
            "suppression_ms": self.suppression_ms,
            "period_ms": self.period_ms,
            "background": ["silence"],
        }


@dataclass
class MicroWakeWord:
    """esphome/components/micro_wake_word/streaming_model.cpp: one score, here its uint8 less 128.
    `cutoff` and `window` are `probability_cutoff` as a uint8 and `sliding_window_size` of the
    model's JSON; `stride`: windows of features for each result."""

    cutoff: int
    window: int
    stride: int = 3
    ignored: int = 100
    recent: list[int] = field(default_factory=list)
    ignore_windows: int = 0
    place: int = 0

    def __post_init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.recent = [0] * self.window
        self.ignore_windows = -self.ignored

    def process(self, score: int) -> int:
        """0 where the word was detected, else -1."""
        self.place = (self.place + 1) % self.window
        self.recent[self.place] = score + 128
        self.ignore_windows = min(self.ignore_windows + self.stride, 0)
        if self.ignore_windows < 0:
            return -1
        if sum(self.recent) > self.cutoff * self.window:
            self.reset()
            return 0
        return -1

    @property
    def table(self) -> dict[str, object]:
        """The same as keys of a description.  The mean is above the cutoff where it is at least
        halfway to the next sum."""
        return {
            "threshold": f"{(self.cutoff + 0.5 / self.window) / 256:.12f}",
            "window": self.window,
            "warm_up": -(-self.ignored // self.stride) - 1,
            "restart": True,
        }
