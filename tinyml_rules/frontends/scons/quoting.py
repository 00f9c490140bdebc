"""Paths in command lines: SCons quotes blanks, and nothing else that a shell takes for its own.

A folder may be called `a#b;c`.  SCons escapes nodes and literals; the words that it joins of a flag
and a path, `-I` and `-L`, and those that the tool adds become literals here.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable
from typing import Any

from SCons.Subst import Literal

_JOINED = ("_CPPINCFLAGS", "_LIBDIRFLAGS")
"""Construction variables whose words are a flag and a folder."""
_OF_A_SHELL = re.compile(r"[^\w @%+=:,./~-]")
_MARKS = ("$(", "$)")
"""Words of SCons: arguments between them are not part of a signature."""


def literal_words(words: Iterable[Any]) -> list[Any]:
    """The same words; one that a shell would change is a literal, and so escaped."""
    return [_literal(word) for word in words]


def quote_paths(env: Any) -> None:
    """Escape the flags that contain a folder, no matter who added the folder."""
    env["TINYML_LITERAL"] = literal_words
    for name in _JOINED:
        text = str(env.get(name, ""))
        if text.startswith("${_concat("):  # SCons's own, and not done in a clone's origin
            env[name] = f"${{TINYML_LITERAL({text[2:-1]})}}"
    escape = env.get("ESCAPE")
    if callable(escape) and env["PLATFORM"] != "win32":
        env["ESCAPE"] = _with_backquotes(escape)


def _literal(word: Any) -> Any:
    is_special = isinstance(word, str) and word not in _MARKS and _OF_A_SHELL.search(word)
    return Literal(word) if is_special else word


def _with_backquotes(escape: Callable[[str], str]) -> Callable[[str], str]:
    """SCons leaves a backquote as it is, between double quotes."""
    return lambda word: shlex.quote(word) if "`" in word else escape(word)
