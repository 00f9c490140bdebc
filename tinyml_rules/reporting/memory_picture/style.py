"""Colours and hatches of the picture, for light and dark pages.

The colours of boxes (Okabe and Ito's hues) are distinguishable with any colour blindness, are the
same on both pages, and carry black text; a hatch or none at all is the second sign of a kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.reporting.peak import Kind


@dataclass(frozen=True)
class Look:
    """A fill and the lines on it: an SVG path in a cell of `cell` pixels, none for plain."""

    name: str
    fill: str
    line: str = ""
    path: str = ""
    cell: int = 8


STATE = "sums and counters"
MANY = "many tensors, too narrow one by one"
SHARED = "written over a used-up input"
ROWS = "rows kept in turn"

LOOKS = {
    Kind.INPUT.value: Look("input", "#7cc4ef", "#58aee2", "M2 0V8M6 0V8"),
    Kind.OUTPUT.value: Look("output", "#33a985", "#5cc6a5", "M-2 2L2 -2M0 8L8 0M6 10L10 6"),
    Kind.RING.value: Look("ring", "#d98cb5", "#c978a5", "M0 2H8M0 6H8"),
    Kind.WHOLE.value: Look("whole", "#f7cf5d"),
    Kind.SCRATCH.value: Look("scratch", "#a090f0", "#8f7ee6", "M0 8L8 0"),
    STATE: Look("state", "#cfd4da", "#a9b1ba", "M1 1h2v2h-2zM5 5h2v2h-2z"),
    MANY: Look("many", "#e3b44c", "#c99a35", "M2 2h2v2h-2zM6 6h2v2h-2z"),
    SHARED: Look("shared", "#f4ecd8", "#a08f63", "M0 0L8 8M8 0L0 8"),
}
"""By the kind of bytes.  One that is not here is drawn like an intermediate tensor."""

_PLAIN = LOOKS[Kind.WHOLE.value]

_LIGHT = {"page": "#ffffff", "ink": "#1b1f24", "soft": "#57606a", "grid": "#d0d7de"}
_DARK = {"page": "#14181e", "ink": "#e6edf3", "soft": "#9da7b3", "grid": "#3a424c"}
LABEL = "#111111"
"""Text in boxes, and their edges."""


def legend_word(kind: str) -> str:
    """What the legend calls a kind of bytes."""
    return ROWS if kind == Kind.RING.value else kind


def look_of(word: str) -> Look:
    """How a kind of bytes is drawn."""
    return LOOKS.get(word, _PLAIN)


def style(scope: str) -> str:
    """The style sheet, for text and shapes inside of the class `scope` alone."""
    font = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue','DejaVu Sans',sans-serif"
    rules = [
        f"text{{font-family:{font};font-size:11px;font-variant-numeric:tabular-nums}}",
        ".title{font-size:17px;font-weight:600}",
        ".strong{font-weight:600}",
        f".label{{fill:{LABEL}}}",
        f".box{{stroke:{LABEL};stroke-width:.75}}",
        ".line{fill:none;stroke-width:1.5;stroke-dasharray:6 3}",
        ".peak{fill:none;stroke-width:2.5}",
        *_page_rules(_LIGHT),
    ]
    dark = "".join(f".{scope} {rule}" for rule in _page_rules(_DARK))
    light = "".join(f".{scope} {rule}" for rule in rules)
    return f"{light}@media (prefers-color-scheme:dark){{{dark}}}"


def _page_rules(colours: dict[str, str]) -> list[str]:
    page, ink, soft, grid = (colours[each] for each in ("page", "ink", "soft", "grid"))
    return [
        f".page{{fill:{page}}}",
        f".ink{{fill:{ink}}}",
        f".soft{{fill:{soft}}}",
        f".grid{{stroke:{grid}}}",
        f".axis{{stroke:{soft}}}",
        f".peak,.line{{stroke:{ink}}}",
    ]


def hatches(scope: str) -> Iterator[str]:
    """The definitions of all fills with lines."""
    for look in LOOKS.values():
        if look.path:
            yield (
                f'<pattern id="{scope}-{look.name}" width="{look.cell}" height="{look.cell}" '
                f'patternUnits="userSpaceOnUse"><rect width="{look.cell}" height="{look.cell}" '
                f'fill="{look.fill}"/><path d="{look.path}" fill="none" stroke="{look.line}" '
                'stroke-width="1.2"/></pattern>'
            )


def fill_of(word: str, scope: str) -> str:
    """The value of a `fill` attribute."""
    look = look_of(word)
    return f"url(#{scope}-{look.name})" if look.path else look.fill
