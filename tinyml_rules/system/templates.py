"""Templates of text: Jinja, set up once for all rooms."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import jinja2

EVERY = -1
"""As `cached`: of all templates."""
_CACHED = 400


def templates(
    folders: Path | Sequence[Path], *, escapes: bool, keeps_end: bool = True, cached: int = _CACHED
) -> jinja2.Environment:
    """The templates in a folder, or in the first of several that has them; a word that nobody gives
    is an error.

    `escapes`: values become text of HTML.  `keeps_end`: the newline at the end of a template stays.
    `cached`: how many are kept once they are read.
    """
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=keeps_end,
        cache_size=cached,
        autoescape=escapes,  # noqa: S701 - C, JSON and others are no HTML
    )
