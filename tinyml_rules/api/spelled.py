"""The functions as the package exports them: messages have options as Python writes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import ParamSpec, TypeVar

from tinyml_rules.errors import TinymlError
from tinyml_rules.request.wording import worded

PYTHON = "python"
"""The spelling, a row of SPELLINGS."""

_Of = TypeVar("_Of")
_Given = ParamSpec("_Given")


def spelled(function: Callable[_Given, _Of]) -> Callable[_Given, _Of]:
    """The function, whose errors say `weights='packed'` where the commands say
    `--weights=packed`."""

    @wraps(function)
    def called(*args: _Given.args, **kwargs: _Given.kwargs) -> _Of:
        try:
            return function(*args, **kwargs)
        except TinymlError as error:
            _respell(error)
            raise

    return called


def _respell(error: TinymlError) -> None:
    """In place, so that class, traceback and figures of the error stay."""
    error.problems = tuple(
        replace(each, what=worded(each.what, PYTHON), hint=worded(each.hint, PYTHON))
        for each in error.problems
    )
    error.args = ("\n".join(map(str, error.problems)),)
