"""The target of an environment."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from SCons.Errors import UserError

from tinyml_rules.errors import TinymlError, UsageError
from tinyml_rules.frontends.scons.settings import in_words_of
from tinyml_rules.target.target import Target, Unchosen, default_search, load_target

_NO_TARGET = (
    "there is none for it: write one of your own (TINYML_TARGETS), or set TINYML_TARGET='host' for "
    "portable C, where int has 32 bits"
)
_load_target = cache(load_target)
"""A build asks for the same few targets once for each node."""


def current_target(env: Any) -> Target:
    """The target that TINYML_TARGET names; raises TargetError."""
    return _load_target(str(env["TINYML_TARGET"]), search=_search(env))


def _search(env: Any) -> tuple[Path, ...]:
    extra = [Path(env.Dir(folder).abspath) for folder in env.Flatten([env["TINYML_TARGETS"]])]
    return (*extra, *default_search())


def read_target(env: Any) -> Target:
    """The same while an SConstruct is read, when SCons requires errors of its own class."""
    try:
        return current_target(env)
    except TinymlError as error:
        raise UserError(in_words_of(env, error)) from error


def check_chosen(env: Any) -> None:
    """End with an error where a model is to be compiled for this computer because nobody chose a
    target, while the compiler makes code for other processors."""
    if not isinstance(env["TINYML_TARGET"], Unchosen):
        return
    from tinyml_rules.target.compilers import likely_targets, other_machine  # noqa: PLC0415 - seldom

    words = env.subst("$CC $CFLAGS $CCFLAGS $CPPFLAGS").split()
    if other_machine(words):
        what = (
            f"TINYML_TARGET is not set, and CC is '{env.subst('$CC')}', expected the part that it "
            "compiles for"
        )
        likely = likely_targets(words, _search(env))
        choice = " or ".join(f"TINYML_TARGET='{name}'" for name in likely)
        hint = f"set {choice}" if likely else _NO_TARGET
        raise UserError(str(UsageError.at("tinyml", what, hint=hint)))
