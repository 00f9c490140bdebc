"""What the statements of a Python source say of a name, and what a call gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def argument(call: ast.Call, position: int | None, name: str) -> ast.expr | None:
    """What a call gives for a parameter, by its position or by its name."""
    for word in call.keywords:
        if word.arg == name:
            return word.value
    if position is None or position >= len(call.args):
        return None
    given = call.args[: position + 1]
    return None if any(isinstance(each, ast.Starred) for each in given) else given[position]


def last_name(node: ast.expr) -> str:
    """The name behind the last dot."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def given(scope: ast.AST, name: str, line: int) -> list[ast.expr]:
    """The values that a name can have on a line, from the assignments of a scope before it."""
    found: list[ast.expr] = []
    for value, block in assigned(scope, name):
        if value.lineno > line and not isinstance(scope, ast.Module):
            continue
        first, last = block[0].lineno, block[-1].end_lineno or 0
        if first <= line <= last:
            found.clear()
        found.append(value)
    return found


def assigned(scope: ast.AST, name: str) -> Iterator[tuple[ast.expr, list[ast.stmt]]]:
    """The values that statements assign to a name, with the block of each, in order."""
    for parent in ast.walk(scope):
        for block in (getattr(parent, each, None) for each in ("body", "orelse", "finalbody")):
            statements: list[ast.stmt] = block if isinstance(block, list) else []
            for node in statements:
                value = _value_of(node, name)
                if value is not None:
                    yield value, statements
        if isinstance(parent, ast.NamedExpr) and parent.target.id == name:
            yield parent.value, [ast.Pass(lineno=0, end_lineno=0)]


def gathered(scope: ast.AST, name: str) -> Iterator[ast.expr]:
    """The lists that a name is, and what is appended to it as lists of one."""
    for value, _ in assigned(scope, name):
        yield value
    for node in ast.walk(scope):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "append" and last_name(node.func.value) == name:
            yield ast.List(node.args)


def _value_of(node: ast.stmt, name: str) -> ast.expr | None:
    """What a statement assigns to a name."""
    if isinstance(node, ast.AnnAssign):
        return node.value if last_name(node.target) == name else None
    is_it = isinstance(node, ast.Assign) and name in [
        each.id for each in node.targets if isinstance(each, ast.Name)
    ]
    return node.value if isinstance(node, ast.Assign) and is_it else None


def walked(scope: ast.AST, name: str) -> Iterator[ast.expr]:
    """What loops go through with a name."""
    for node in ast.walk(scope):
        if not isinstance(node, ast.For | ast.comprehension):
            continue
        if isinstance(node.target, ast.Name) and node.target.id == name:
            yield node.iter


def walk(
    node: ast.AST, around: tuple[ast.FunctionDef, ...]
) -> Iterator[tuple[ast.AST, tuple[ast.FunctionDef, ...]]]:
    """Every node in order, with the functions that it is in."""
    yield node, around
    inside = (*around, node) if isinstance(node, ast.FunctionDef) else around
    for child in ast.iter_child_nodes(node):
        yield from walk(child, inside)
