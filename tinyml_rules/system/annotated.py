"""Templates with what proves their text: comments of Jinja that begin with `{#@` are annotations of
ACSL, which Frama-C reads.  As a template is rendered they are gone as any comment is; here they
become comments of C, and what is in braces in them is rendered."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

import jinja2

_ANNOTATION = re.compile(r"\{#@(.*?)#\}", re.DOTALL)
_IN_C = re.compile(r"[ \t]*/\*@ *(.*?)\*/\n?", re.DOTALL)


class AnnotatedLoader(jinja2.BaseLoader):
    """The templates of another loader, with their annotations."""

    def __init__(self, plain: jinja2.BaseLoader) -> None:
        self.plain = plain

    def get_source(
        self, environment: jinja2.Environment, template: str
    ) -> tuple[str, str | None, Callable[[], bool] | None]:
        """As the loader gives it, annotations being text."""
        source, filename, is_fresh = self.plain.get_source(environment, template)
        return _ANNOTATION.sub(r"/*@\1*/", source), filename, is_fresh


def without_annotations(
    text: str, *, but_contracts_of: Collection[str] = (), but_hints: tuple[str, ...] = ()
) -> str:
    """C text without its annotations, each of which has lines of its own, but for the contracts of
    some functions, and for what begins with words that are hints."""
    names = "|".join(but_contracts_of) or "(?!)"
    declared = re.compile(rf"[^;{{}}=]*?\b(?:{names})\(")

    def stays(found: re.Match[str]) -> bool:
        is_hint = found[1].startswith(but_hints)
        return is_hint or declared.match(text, found.end()) is not None

    return _IN_C.sub(lambda it: it[0] if stays(it) else "", text)
