"""What an operator means is written twice: an oracle knows nothing of what `prepare` makes."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from tinyml_rules.ops import builtin_operators

PREPARING = ("tinyml_rules.ops._shared.accumulate", "tinyml_rules.ir.program")
"""Rooms of constants and of kernels."""
NAMES = {"params_of", "prepare", "walks", "fold_bias", "row_window"}


def oracle_modules(operator: str) -> set[ModuleType]:
    """Where the oracles of an operator are."""
    meanings = builtin_operators()[operator].meanings
    return {sys.modules[meaning.oracle.__module__] for meaning in meanings}


def imported(module: ModuleType) -> Iterator[tuple[str, str]]:
    """(module, name) of everything that a module imports."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def is_allowed(operator: str, source: str, name: str) -> bool:
    """Of an operator's own folder only its options, and nothing that makes constants."""
    if source.startswith(f"tinyml_rules.ops.{operator}"):
        return name.endswith("Attrs")
    return source not in PREPARING and name not in NAMES and not name.endswith("Params")


@pytest.mark.parametrize("operator", builtin_operators())
def test_imports(operator: str) -> None:
    """An oracle in a module of its own."""
    wrong = [
        f"{module.__name__} imports {name} from {source}"
        for module in oracle_modules(operator)
        if module.__name__.endswith(".oracle")
        for source, name in imported(module)
        if not is_allowed(operator, source, name)
    ]
    assert wrong == []


@pytest.mark.parametrize("operator", builtin_operators())
def test_functions(operator: str) -> None:
    """An oracle beside `prepare` calls no function of that module."""
    for meaning in builtin_operators()[operator].meanings:
        module = sys.modules[meaning.oracle.__module__]
        if module.__name__.endswith(".oracle") or not hasattr(module, "prepare"):
            continue
        own = {name for name, each in vars(module).items() if inspect.isfunction(each)}
        tree = ast.parse(inspect.getsource(meaning.oracle))
        called = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert not called & (own | NAMES) - {meaning.oracle.__name__}
