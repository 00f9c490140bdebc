"""Text of the picture: how wide it is, cut to its room, and harmless in XML.

A viewer brings its own font, so widths are those of the widest common sans serifs (Verdana, DejaVu
Sans): what fits here fits in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

SIZE = 11
"""Pixels of all text but the heading."""
BOLD = 1.15
"""How much wider bold text is."""
ELLIPSIS = "\u2026"

_LEAST_KEPT = 6
"""Characters of a cut text that still tell something."""

_NARROW = frozenset(" !'()*,-./:;I[\\]`fijlrt|")
_WIDE = frozenset("%@MWmw")
_MIDDLE = frozenset("#&+<=>^~ABCDEFGHJKLNOPQRSTUVXYZ")


def width(words: str, size: float = SIZE) -> float:
    """Pixels that the words take at most."""
    return size * sum(map(_advance, words))


def _advance(character: str) -> float:
    if character in _NARROW:
        return 0.64 if character in "*`" else 0.46
    if character in _MIDDLE:
        return 0.84
    return 1.08 if character in _WIDE or not character.isascii() else 0.64


def cut(words: str, room: float, size: float = SIZE) -> str:
    """The words, or as much of their beginning as fits; nothing where that is not worth it."""
    return _cut(words, room, size, from_end=False)


def cut_front(words: str, room: float, size: float = SIZE) -> str:
    """The same with as much of their end: there a tensor's name differs from others."""
    return _cut(words, room, size, from_end=True)


def _cut(words: str, room: float, size: float, *, from_end: bool) -> str:
    if width(words, size) <= room:
        return words
    kept = ""
    for character in reversed(words) if from_end else words:
        longer = character + kept if from_end else kept + character
        if width(longer + ELLIPSIS, size) > room:
            break
        kept = longer
    if len(kept) < _LEAST_KEPT:
        return ""
    return ELLIPSIS + kept if from_end else kept + ELLIPSIS


def printable(name: str) -> str:
    """A name of the file without what no reader can see."""
    return "".join(each if each.isprintable() else "?" for each in name)


def escaped(words: str) -> str:
    """As text or an attribute of XML, in ASCII."""
    text = escape(printable(words), quote=False).replace('"', "&quot;").replace("'", "&apos;")
    return text.encode("ascii", "xmlcharrefreplace").decode()


def nodes_phrase(nodes: Sequence[int]) -> str:
    """`node 3`, `nodes 0-3`, or all of them where they are no range."""
    if len(nodes) == 1:
        return f"node {nodes[0]}"
    return f"nodes {nodes_short(nodes)}"


def nodes_short(nodes: Sequence[int]) -> str:
    """The same without the word."""
    first, last = nodes[0], nodes[-1]
    if list(nodes) == list(range(first, last + 1)):
        return str(first) if first == last else f"{first}\u2013{last}"
    return ", ".join(map(str, nodes))
