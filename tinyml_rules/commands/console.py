"""What a command is given to speak with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Console:
    """`show` displays progress, on terminals only, and clears it for an empty line; `tell` prints
    errors and warnings, `result` the result, if any.  `arrow` is the arrow that the output can
    display."""

    show: Callable[[str], None]
    tell: Callable[[str], None]
    result: Callable[[str], None]
    arrow: str
