"""What may leave the package for an input that is wrong: its own errors, in text that prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from tinyml_rules.errors import TinymlError


@contextmanager
def clean_errors(*, of_lines: bool = False, of: str = "") -> Iterator[None]:
    """An error of the package ends what is inside; any other one is a fault and leaves, as does an
    AssertionError for a message with characters that do not print; `of_lines`: it may have several
    lines, as words of a user's file may; `of`: the model that each has to name first."""
    try:
        yield
    except TinymlError as error:
        for each in error.problems:
            assert not of or re.match(rf"{of}\b", each.where), f"names no model: {each}"
            for text in (each.where, each.what, each.hint):
                shown = text.replace("\n", " ") if of_lines else text
                assert shown.isprintable(), f"unclean message: {text!r}"
