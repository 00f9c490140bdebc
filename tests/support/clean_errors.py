"""What may leave the package for an input that is wrong: its own errors, in text that prints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tinyml_rules.errors import TinymlError


@contextmanager
def clean_errors() -> Iterator[None]:
    """An error of the package ends what is inside; any other one is a fault and leaves, as does an
    AssertionError for a message with characters that do not print."""
    try:
        yield
    except TinymlError as error:
        for each in error.problems:
            for text in (each.where, each.what, each.hint):
                assert text.isprintable(), f"unclean message: {text!r}"
