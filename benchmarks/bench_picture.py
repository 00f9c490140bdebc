"""A picture of what an inference counts, on a logarithmic scale: ours, the release's and TFLM's."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.bench import count_of
from benchmarks.comparison import Reference
from benchmarks.drawing import THICK, Theme, bar, heading, svg, words
from benchmarks.layer_figures import TARGETS
from benchmarks.matrix import KEEPS_LAYERS, Row
from benchmarks.release import Release

_LEFT, _TOP, _ROW, _DECADE, _GAP = 150, 62, 18, 80, 26
"""Pixels: names at the left, the head, a model, a factor of ten, above a target."""
_LOWEST, _HIGHEST = 2, 9
"""Powers of ten at the ends of the scale."""
_TICK = 3
"""Pixels of the line that stands for the release."""
TITLE = "One inference: cycles on AVR, instructions on all others"


@dataclass(frozen=True)
class Bar:
    """A model on a target, counted in the unit of the target's runner."""

    target: str
    model: str
    ours: int
    release: int | None
    reference: int | None


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


def bench_svg(bars: Sequence[Bar], theme: Theme) -> str:
    """A bar for each, over that of TFLM, with a line where the release was."""
    parts, height = [*_legend(theme)], _TOP
    grid = len(parts)
    target = ""
    for each in bars:
        if each.target != target:
            target = each.target
            height += _GAP
            parts.append(words(0, height - 8, target, theme.text))
        parts += _row(each, height, theme)
        height += _ROW
    parts[grid:grid] = _scale(height, theme)
    width = _LEFT + (_HIGHEST - _LOWEST) * _DECADE + 90
    described = ". ".join(_described(each) for each in bars)
    return svg(width, height + 8, title=TITLE, described=described, parts=parts)


def place(count: int) -> int:
    """How many pixels from the left end of the scale."""
    return max(1, round((math.log10(count) - _LOWEST) * _DECADE))


def _row(each: Bar, top: int, theme: Theme) -> Iterator[str]:
    yield words(12, top + 11, each.model, theme.note)
    if each.reference:
        yield bar(_LEFT, top, place(each.reference), theme.reference)
    yield bar(_LEFT, top + 3, place(each.ours), theme.ours, height=THICK - 6)
    if each.release:
        yield bar(_LEFT + place(each.release) - 1, top, _TICK, theme.text)
    most = max(each.ours, each.release or 0, each.reference or 0)
    yield words(_LEFT + place(most) + 8, top + 11, f"{each.ours:,}", theme.text)


def _scale(bottom: int, theme: Theme) -> Iterator[str]:
    for power in range(_LOWEST, _HIGHEST + 1):
        x = _LEFT + (power - _LOWEST) * _DECADE
        yield bar(x, _TOP, 1, theme.reference, height=bottom - _TOP)
        yield words(x - 8, _TOP - 6, f"10^{power}", theme.note)


def _legend(theme: Theme) -> Iterator[str]:
    yield heading(TITLE, theme)
    texts = (
        (0, THICK, theme.ours, "tinyml_rules"),
        (120, _TICK, theme.text, "the last release"),
        (250, THICK, theme.reference, "TFLM with CMSIS-NN"),
    )
    for x, width, colour, text in texts:
        yield bar(_LEFT + x, 28, width, colour)
        yield words(_LEFT + x + 18, 38, text, theme.text)


def _described(each: Bar) -> str:
    more = [f"{each.release:,} in the release"] if each.release else []
    more += [f"{each.reference:,} with TFLM"] if each.reference else []
    return f"{each.model} on {each.target}: {', '.join([f'{each.ours:,}', *more])}"
