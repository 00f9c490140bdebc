"""Bars, dots and words of the pictures in docs/, in the colours of a light and of a dark page."""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import escape

THICK = 12
"""Pixels: the height of a bar."""


@dataclass(frozen=True)
class Theme:
    """The colours of a picture, whose background is the page's."""

    text: str
    note: str
    reference: str
    ours: str


LIGHT = Theme(text="#1f2328", note="#59636e", reference="#d0d7de", ours="#0969da")
DARK = Theme(text="#e6edf3", note="#9198a1", reference="#3d444d", ours="#58a6ff")


def svg(width: int, height: int, *, title: str, described: str, parts: list[str]) -> str:
    """A picture of so many pixels, with a text for those who do not see it."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'aria-labelledby="title desc" font-family="system-ui,sans-serif" font-size="12">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="desc">{escape(described)}.</desc>',
        *parts,
    ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def heading(title: str, theme: Theme) -> str:
    """The words at the head."""
    return (
        f'<text x="0" y="18" font-size="15" font-weight="600" fill="{theme.text}">'
        f"{escape(title)}</text>"
    )


def bar(x: int, y: int, width: int, colour: str, *, height: int = THICK) -> str:
    """A rectangle."""
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="2" fill="{colour}"/>'


def dot(x: int, y: int, radius: int, colour: str, *, is_hollow: bool = False) -> str:
    """A circle, filled or as a ring."""
    look = f'fill="none" stroke="{colour}" stroke-width="2"' if is_hollow else f'fill="{colour}"'
    return f'<circle cx="{x}" cy="{y}" r="{radius}" {look}/>'


def line(left: int, top: int, right: int, bottom: int, colour: str) -> str:
    """A thin line."""
    return f'<path d="M{left} {top}L{right} {bottom}" stroke="{colour}"/>'


def words(x: int, y: int, text: str, colour: str, *, anchor: str = "") -> str:
    """A line of words that begins there, or has its middle there."""
    placed = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x}" y="{y}"{placed} fill="{colour}">{escape(text)}</text>'
