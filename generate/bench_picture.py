"""A picture of what an inference counts, as a share of what the release and what TFLM counts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.bench import count_of
from benchmarks.layer_figures import TARGETS
from benchmarks.matrix import KEEPS_LAYERS, Row
from benchmarks.release import Release
from benchmarks.tflm import Reference
from generate.drawing import Theme, dot, heading, line, svg, words
from tinyml_rules.target.equipment import RUNNER_COUNTS
from tinyml_rules.target.target import load_target

_LEFT, _TOP, _ROW, _WHOLE, _GAP = 130, 92, 18, 400, 28
"""Pixels: names at the left, the head, a model, a share of one, above a target."""
_STEP = 0.25
"""Between two lines of the scale, which ends at the first of them that has room for all shares."""
_RADIUS = 5
TITLE = "One inference, compared with TFLM and with version {version}"
NOTE = "Each dot is our count divided by theirs: further left is faster."


@dataclass(frozen=True)
class Bar:
    """A model on a target, counted in the unit of the target's runner."""

    target: str
    model: str
    ours: int
    release: int | None
    reference: int | None

    @property
    def shares(self) -> tuple[float | None, float | None]:
        """Of the release's count, and of TFLM's."""
        of_release = self.ours / self.release if self.release else None
        return of_release, self.ours / self.reference if self.reference else None


def bars_of(rows: Sequence[Row], release: Release, references: Sequence[Reference]) -> list[Bar]:
    """Of one target of each kind, in their order; of a model that becomes a table its layers."""
    theirs = {(each.target, each.model): each.instructions for each in references}
    layered = {(row.target, row.model) for row in rows if KEEPS_LAYERS in row.settings}
    found = []
    for target in TARGETS:
        for row in rows:
            count, place = count_of(row), (row.target, row.model)
            is_table = place in layered and KEEPS_LAYERS not in row.settings
            if row.target != target or count is None or is_table:
                continue
            old = release.pairs.get((*place, row.settings))
            reference = None if row.external_bytes else theirs.get(place)
            found.append(Bar(target, row.model, count, count_of(old), reference))
    return found


def bench_svg(bars: Sequence[Bar], theme: Theme, *, version: str) -> str:
    """A row for each, with a dot for TFLM's count and a ring for that of the release."""
    name = version.partition(",")[0]
    title = TITLE.format(version=name)
    parts, height = [*_legend(title, name, theme)], _TOP
    grid = len(parts)
    target = ""
    for each in bars:
        if each.target != target:
            target = each.target
            height += _GAP
            unit = RUNNER_COUNTS[load_target(target).runner.kind]
            parts.append(words(0, height - 7, target, theme.text))
            parts.append(words(_end(bars) + 14, height - 7, unit, theme.note))
        parts += _row(each, height, _end(bars), theme)
        height += _ROW
    parts[grid:grid] = _scale(bars, height, theme)
    described = ". ".join(_described(each) for each in bars)
    return svg(_end(bars) + 120, height + 8, title=title, described=described, parts=parts)


def place(share: float) -> int:
    """How many pixels from the left end of the picture."""
    return _LEFT + round(share * _WHOLE)


def _steps(bars: Sequence[Bar]) -> int:
    most = max((share for each in bars for share in each.shares if share), default=1.0)
    return math.ceil(max(1.0, most) / _STEP)


def _end(bars: Sequence[Bar]) -> int:
    return place(_STEP * _steps(bars))


def _row(each: Bar, top: int, end: int, theme: Theme) -> Iterator[str]:
    middle = top + 7
    yield words(12, top + 11, each.model, theme.note)
    of_release, of_reference = each.shares
    least = min((share for share in each.shares if share), default=1.0)
    yield line(place(min(least, 1.0)), middle, place(1.0), middle, theme.reference)
    if of_release:
        yield dot(place(of_release), middle, _RADIUS - 1, theme.note, is_hollow=True)
    if of_reference:
        yield dot(place(of_reference), middle, _RADIUS, theme.ours)
    yield words(end + 14, top + 11, f"{each.ours:,}", theme.text)


def _scale(bars: Sequence[Bar], bottom: int, theme: Theme) -> Iterator[str]:
    for step in range(_steps(bars) + 1):
        share = step * _STEP
        colour = theme.note if share == 1 else theme.reference
        yield line(place(share), _TOP, place(share), bottom, colour)
        yield words(place(share), _TOP - 8, f"{100 * share:.0f} %", theme.note, anchor="middle")


def _legend(title: str, version: str, theme: Theme) -> Iterator[str]:
    yield heading(title, theme)
    yield words(0, 38, NOTE, theme.note)
    yield dot(_LEFT + 5, 56, _RADIUS, theme.ours)
    yield words(_LEFT + 18, 60, "of TFLM with CMSIS-NN", theme.text)
    yield dot(_LEFT + 205, 56, _RADIUS - 1, theme.note, is_hollow=True)
    yield words(_LEFT + 218, 60, f"of version {version}", theme.text)


def _described(each: Bar) -> str:
    more = [f"{each.release:,} in the release"] if each.release else []
    more += [f"{each.reference:,} with TFLM"] if each.reference else []
    return f"{each.model} on {each.target}: {', '.join([f'{each.ours:,}', *more])}"
