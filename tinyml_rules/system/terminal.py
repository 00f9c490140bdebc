"""Output for terminals only: colours, and a line of progress that is overwritten."""

from __future__ import annotations

import os
import re
from typing import TextIO

ANEW = "\r\033[K"
"""Moves to the beginning of the line and clears it."""

_RED, _YELLOW, _BLUE, _BOLD, _PLAIN = ("\033[31m", "\033[33m", "\033[34m", "\033[1m", "\033[0m")
_COLOURS = {"error": _RED, "warning": _YELLOW, "note": _BLUE, "hint": _BLUE}
_SEVERITY = re.compile(r"^(.*?: )(error|warning|note)(?=: )", re.MULTILINE)
_HINT = re.compile(r"^(  )(hint)(?=: )", re.MULTILINE)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal on which a line can be overwritten: TERM is set, and not to
    `dumb`."""
    return bool(stream and stream.isatty()) and os.environ.get("TERM", "") not in ("", "dumb")


def has_colours(stream: TextIO | None) -> bool:
    """Whether to use colours; NO_COLOR (https://no-color.org) turns them off."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR")


def coloured(message: str) -> str:
    """A message with its words `error`, `warning`, `note` and `hint` in colours, one a line."""
    for pattern in (_SEVERITY, _HINT):
        message = pattern.sub(
            lambda found: f"{found[1]}{_BOLD}{_COLOURS[found[2]]}{found[2]}{_PLAIN}", message
        )
    return message
