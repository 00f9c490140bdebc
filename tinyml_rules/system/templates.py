"""Templates of text: Jinja, set up once for all rooms."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import jinja2

from tinyml_rules.system.kept_templates import KeptTemplates
from tinyml_rules.system.user_folder import user_cache

EVERY = -1
"""As `cached`: of all templates."""
_CACHED = 400


def templates(
    folders: Path | Sequence[Path],
    *,
    escapes: bool,
    keeps_end: bool = True,
    cached: int = _CACHED,
    is_kept: bool = False,
) -> jinja2.Environment:
    """The templates in a folder, or in the first of several that has them; a word that nobody gives
    is an error.

    `escapes`: values become text of HTML.  `keeps_end`: the newline at the end of a template stays.
    `cached`: how many stay in memory once they are read.  `is_kept`: their bytecode is in a file
    for the next process; filters and tests of one's own are then `when_rendered`.
    """
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=keeps_end,
        cache_size=cached,
        auto_reload=False,  # each use of one would look at its file's date
        bytecode_cache=KeptTemplates(user_cache() / "templates") if is_kept else None,
        autoescape=escapes,  # noqa: S701 - C, JSON and others are no HTML
    )
