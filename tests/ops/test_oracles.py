"""What an operator means is written twice: an oracle knows nothing of what `prepare` makes."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cache
from types import CodeType, FunctionType

import pytest

from tinyml_rules.ops import builtin_operators, folder_of

PREPARING = ("tinyml_rules.ops._shared.accumulate", "tinyml_rules.ir.program")
"""Rooms of constants and of kernels."""
NAMES = {"params_of", "prepare", "walks", "fold_bias", "row_window"}


@cache
def definitions(module: str) -> set[str]:
    """What a module defines at its top level: functions, classes and constants."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    found = {each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.ClassDef)}
    targets = (each.targets for each in tree.body if isinstance(each, ast.Assign))
    return found | {each.id for many in targets for each in many if isinstance(each, ast.Name)}


def names_in(code: CodeType) -> Iterator[str]:
    """Every global or attribute that a function names, its inner functions included."""
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from names_in(each)


def functions_in(thing: object) -> Iterator[FunctionType]:
    """The functions that a value is or holds: decorated ones, tuples, records."""
    if isinstance(thing, FunctionType):
        yield thing
    elif isinstance(thing, tuple):
        for each in thing:
            yield from functions_in(each)
    elif is_dataclass(thing) and not isinstance(thing, type):
        yield from functions_in(tuple(vars(thing).values()))


def reached(operator: str, start: object) -> dict[tuple[str, str], object]:
    """What a function names, directly or through others of the operator's folder, by module."""
    package, found = f"tinyml_rules.ops.{folder_of(operator)}", dict[tuple[str, str], object]()
    seen, left = set[FunctionType](), [*functions_in(start)]
    while left:
        function = left.pop()
        if function in seen:
            continue
        seen.add(function)
        for cell in function.__closure__ or ():
            left += functions_in(cell.cell_contents)
        module = function.__module__
        if f"{module}.".startswith(f"{package}."):
            known = function.__globals__
            named = {*names_in(function.__code__), function.__name__} & known.keys()
            found |= {(module, name): known[name] for name in named}
            left += [each for name in named for each in functions_in(known[name])]
    return found


def own_names(operator: str, start: object) -> set[tuple[str, str]]:
    """Those of them that the operator's folder defines, but for its options."""
    return {
        (module, name)
        for module, name in reached(operator, start)
        if name in definitions(module) and not name.endswith("Attrs")
    }


@pytest.mark.parametrize("operator", builtin_operators())
def test_nothing_is_shared(operator: str) -> None:
    """No function, class or constant of the folder serves both."""
    for meaning in builtin_operators()[operator].meanings:
        if meaning.prepare is not None:
            shared = own_names(operator, meaning.oracle) & own_names(operator, meaning.prepare)
            assert shared == set()


@pytest.mark.parametrize("operator", builtin_operators())
def test_names(operator: str) -> None:
    """An oracle uses nothing that makes constants."""
    for meaning in builtin_operators()[operator].meanings:
        for (_, name), thing in reached(operator, meaning.oracle).items():
            assert name not in NAMES and not name.endswith("Params")
            assert getattr(thing, "__module__", "") not in PREPARING, name


@pytest.mark.parametrize(
    ("operator", "name"), [("lookup", "flipped_bits"), ("relu", "params_of"), ("mul", "params_of")]
)
def test_names_are_found(operator: str, name: str) -> None:
    """Of `prepare`: direct calls, and functions that a lambda or a record in a closure calls."""
    prepare = builtin_operators()[operator].meanings[0].prepare
    assert (f"tinyml_rules.ops.{operator}", name) in own_names(operator, prepare)


def test_calls_of_calls_are_found() -> None:
    """Of an oracle: what a decorated function calls, and what that calls."""
    (oracle, *_) = (each.oracle for each in builtin_operators()["relu6"].meanings)
    assert {name for _, name in own_names("relu6", oracle)} == {"oracle_of_reals"}
