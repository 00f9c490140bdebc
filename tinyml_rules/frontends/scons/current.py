"""The target of an environment."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from SCons.Errors import UserError

from tinyml_rules.errors import TinymlError
from tinyml_rules.frontends.scons.settings import in_words_of
from tinyml_rules.target import Target, default_search, load_target

_load_target = cache(load_target)
"""A build asks for the same few targets once for each node."""


def current_target(env: Any) -> Target:
    """The target that TINYML_TARGET names; raises TargetError."""
    extra = [Path(env.Dir(folder).abspath) for folder in env.Flatten([env["TINYML_TARGETS"]])]
    return _load_target(env["TINYML_TARGET"], search=(*extra, *default_search()))


def read_target(env: Any) -> Target:
    """The same while an SConstruct is read, where SCons wants errors of its own kind."""
    try:
        return current_target(env)
    except TinymlError as error:
        raise UserError(in_words_of(env, error)) from error
