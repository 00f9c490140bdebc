"""The use of flash: the parts of a stacked bar."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.reporting.report import Report

_PARTS = (
    ("weights_bytes", "weights", "what was trained"),
    ("tables_bytes", "tables", "biases, multipliers and other constants of nodes"),
    ("code_bytes", "the model\u2019s code", "kernels, and the order in which they run"),
    ("startup_bytes", "startup and libraries", "of the minimal firmware around the model"),
    ("unnamed_bytes", "without a symbol", "vectors, constants between functions, padding"),
)
BAR = 1000
"""Units of the whole bar."""


@dataclass(frozen=True)
class Part:
    """A part of the bar from `left` on, in units of BAR; `look` numbers its colour and hatch."""

    key: str
    title: str
    meaning: str
    bytes: int
    share: float
    left: float
    width: float
    look: int


def parts(report: Report) -> Iterator[Part]:
    """In a fixed order, those that take something; none where nothing was built."""
    if report.flash is None or report.build is None:
        return
    left, whole = 0.0, report.build.flash_bytes or 1
    for look, (key, title, meaning) in enumerate(_PARTS):
        size: int = getattr(report.flash, key)
        if size > 0:
            width = BAR * size / whole
            yield Part(key, title, meaning, size, size / whole, round(left, 2), width, look)
            left += width
