"""Our figures and those of TensorFlow Lite for Microcontrollers: a table, and a picture of it.

Knows the rows of both and nothing of how either was measured.  The same rows give the same text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.matrix import KEEPS_LAYERS, Row
from benchmarks.tflm import Reference
from generate.drawing import THICK, Theme, bar, heading, svg, words
from tinyml_rules.reporting.rows import Rows

PICTURED_CORE = "Cortex-M4"
_THOUSAND, _MILLION = 1_000, 1_000_000
_LEFT, _TOP, _ROW, _PANEL, _BAR = 100, 58, 26, 212, 76
"""Pixels: names at the left, the head, a model, a figure of all models, a whole bar."""


@dataclass(frozen=True)
class Pair:
    """A model on a core by both, where ours has all of it in the part's own memory."""

    reference: Reference
    ours: Row

    @property
    def model(self) -> str:
        """Its name, and whether it is that of the layers where there is a row of tables too."""
        keeps_layers = KEEPS_LAYERS in self.ours.settings.split()
        return f"{self.reference.model}, layers" if keeps_layers else self.reference.model


def pairs_of(references: Sequence[Reference], rows: Sequence[Row]) -> list[Pair]:
    """What can be compared, in the references' order."""
    pairs = [
        Pair(each, row)
        for each in references
        for row in rows
        if (row.target, row.model) == (each.target, each.model)
    ]
    return [each for each in pairs if each.ours.external_bytes is None and each.ours.flash_bytes]


def comparison_rows(pairs: Sequence[Pair]) -> Rows:
    """Flash and RAM in bytes and instructions of one inference, TFLM's before ours."""
    return [
        {
            "core": pair.reference.core,
            "model": pair.model,
            **{
                heading: number
                for unit, theirs, mine in _figures(pair)
                for heading, number in ((f"{unit}: TFLM", theirs), (f"{unit}: ours", mine))
            },
        }
        for pair in pairs
    ]


def comparison_svg(pairs: Sequence[Pair], theme: Theme) -> str:
    """For each model on PICTURED_CORE and each figure a bar, ours drawn over that of TFLM."""
    shown = [pair for pair in pairs if pair.reference.core == PICTURED_CORE]
    width, height = _LEFT + 3 * _PANEL, _TOP + _ROW * len(shown) + 8
    title = f"Compared with TFLM and CMSIS-NN on a {PICTURED_CORE}"
    described = ". ".join(_described(pair) for pair in shown)
    lines = _legend(theme, title)
    for panel, unit in enumerate(("flash", "RAM, stack included", "instructions, one inference")):
        lines.append(words(_LEFT + panel * _PANEL, _TOP - 12, unit, theme.note))
    for number, pair in enumerate(shown):
        lines += _model(pair, _TOP + number * _ROW, theme)
    return svg(width, height, title=title, described=described, parts=lines)


def _figures(pair: Pair) -> list[tuple[str, int, int]]:
    theirs, ours = pair.reference, pair.ours
    assert ours.flash_bytes and ours.ram_bytes and ours.instructions
    return [
        ("flash (B)", theirs.flash_bytes, ours.flash_bytes),
        ("RAM (B)", theirs.ram_bytes, ours.ram_bytes),
        ("instructions", theirs.instructions, ours.instructions),
    ]


def _described(pair: Pair) -> str:
    figures = [f"{unit} {mine:,} of TFLM's {theirs:,}" for unit, theirs, mine in _figures(pair)]
    return f"{pair.model}: {', '.join(figures)}"


def _legend(theme: Theme, title: str) -> list[str]:
    return [
        heading(title, theme),
        *(
            part
            for x, colour, word in (
                (_LEFT + 2 * _PANEL, theme.ours, "tinyml_rules"),
                (_LEFT + 2 * _PANEL + 106, theme.reference, "TFLM"),
            )
            for part in (bar(x, 8, THICK, colour), words(x + 18, 18, word, theme.text))
        ),
    ]


def _model(pair: Pair, top: int, theme: Theme) -> list[str]:
    lines = [words(0, top + 11, pair.model, theme.text)]
    for panel, (unit, theirs, mine) in enumerate(_figures(pair)):
        x = _LEFT + panel * _PANEL
        is_bytes = unit != "instructions"
        bars = sorted(((theirs, theme.reference), (mine, theme.ours)), reverse=True)
        lines += [bar(x, top, max(1, round(_BAR * each / bars[0][0])), hue) for each, hue in bars]
        numbers = f"{_short(mine, is_bytes=is_bytes)} of {_short(theirs, is_bytes=is_bytes)}"
        lines.append(words(x + _BAR + 8, top + 11, numbers, theme.text))
    return lines


def _short(value: int, *, is_bytes: bool) -> str:
    """Three digits with a unit: 1.26 kB, 344 kB, 18.6 M."""
    divisor, unit = (_MILLION, "M") if value >= _MILLION else (_THOUSAND, "k")
    if value < _THOUSAND:
        return f"{value} B" if is_bytes else str(value)
    scaled = value / divisor
    digits = max(0, 3 - len(str(int(scaled))))
    return f"{scaled:.{digits}f} {unit}{'B' if is_bytes else ''}"
