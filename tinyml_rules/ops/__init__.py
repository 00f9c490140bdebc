"""The operators, one folder each.  Folders are found, not listed."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from keyword import iskeyword
from pkgutil import iter_modules

from tinyml_rules.ops._shared.operator import Operators


def folder_of(name: str) -> str:
    """The folder of an operator; what Python reads as a word of its own has a line behind it."""
    return f"{name}_" if iskeyword(name) else name


@cache
def builtin_operators() -> Operators:
    """Every operator of this package, in alphabetical order; `_shared` is none."""
    found = (module.name for module in iter_modules(__path__) if module.ispkg)
    names = sorted(name for name in found if not name.startswith("_"))
    return Operators.of(import_module(f"{__name__}.{name}").OP for name in names)
