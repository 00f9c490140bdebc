"""What a stream does in one turn of a step."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    """One step of a stream: whether it can run now, what runs then, how that is counted, and what
    runs afterwards, as C text."""

    condition: str
    statements: tuple[str, ...]
    count: str
    afterwards: tuple[str, ...] = ()
