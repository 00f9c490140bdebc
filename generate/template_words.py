"""The words of a kernel's template, for the page about operators of one's own: each field of
`KernelWords` with the line below it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from typing import get_type_hints

from tinyml_rules.emit.words import CallWords, KernelWords
from tinyml_rules.ir.words import Words
from tinyml_rules.reporting.rows import Rows


def word_rows() -> Rows:
    """Of every template, then of those that run graphs alone."""
    of_all = dict(_described(KernelWords))
    calls = {word: text for word, text in _described(CallWords) if word not in of_all}
    return [{"word": f"`{word}`", "what it is": text} for word, text in (of_all | calls).items()]


def _described(kind: type[Words]) -> Iterator[tuple[str, str]]:
    """(word, its line); a field that stands for other words gives those."""
    types, lines = get_type_hints(kind), _lines_of(kind)
    for name, of_field in types.items():
        if isinstance(of_field, type) and issubclass(of_field, Words):
            yield from _described(of_field)
        else:
            yield name, lines[name]


def _lines_of(kind: type[Words]) -> dict[str, str]:
    """{field: the text below it}."""
    (tree,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(tree, ast.ClassDef)
    return {
        node.target.id: " ".join(str(after.value.value).split())
        for node, after in zip(tree.body, tree.body[1:], strict=False)
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
    }
