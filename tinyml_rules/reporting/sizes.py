"""Amounts of memory, and estimates, as a person reads them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from tinyml_rules.reporting.firmware import Linked

_DIGITS = 3


def amount(size_bytes: int) -> str:
    """Bytes, from 1,000 on in kB."""
    return f"{size_bytes:,} B" if size_bytes < 1000 else f"{size_bytes / 1000:.1f} kB"


def bytes_in_words(size_bytes: int) -> str:
    """For a sentence: `1 byte`, `1,234 bytes`."""
    return f"{size_bytes:,} byte{'' if size_bytes == 1 else 's'}"


def image_figures(found: Linked) -> str:
    """What a linked firmware takes: `flash_bytes`, `ram_bytes` and, where it is known and counted
    in those, `stack_bytes`."""
    text = f"{amount(found.flash_bytes)} flash, {amount(found.ram_bytes)} RAM"
    stack = found.stack_bytes
    return text if stack is None else f"{text}, {amount(stack)} of it stack"


def arrow(stream: TextIO | None) -> str:
    """The arrow that a stream can show."""
    encoding = getattr(stream, "encoding", None) or "ascii"
    return "→" if "utf" in encoding.lower() else "->"


def three_digits(value: float) -> str:
    """Those that say something, of a number that is an estimate."""
    if not value:
        return "0"
    exponent = math.floor(math.log10(abs(value)))
    rounded = round(value, _DIGITS - 1 - exponent)
    return f"{rounded:,.{max(0, _DIGITS - 1 - math.floor(math.log10(abs(rounded))))}f}"
