"""The operators, one folder each.  Folders are found, not listed."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from tinyml_rules.ops.operator import Op


@cache
def all_ops() -> dict[str, Op]:
    """Every operator by name, in alphabetical order."""
    found = (module.name for module in iter_modules(__path__) if module.ispkg)
    ops = [import_module(f"{__name__}.{name}").OP for name in sorted(found)]
    return {op.name: op for op in ops}


@cache
def ops_by_code() -> dict[int, Op]:
    """Every operator by the schema's BuiltinOperator number."""
    return {op.builtin_code: op for op in all_ops().values()}
