"""Lines of progress: what takes long is given a function that shows them."""

from __future__ import annotations

from collections.abc import Callable

Show = Callable[[str], None]
"""Given a line of progress, which takes the place of the one before."""


def quietly(_line: str) -> None:
    """Show no progress."""
