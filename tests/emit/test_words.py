"""Templates say what their dataclasses declare, and nothing is declared in vain."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import get_type_hints

import jinja2
import pytest
from jinja2 import meta, nodes

from tinyml_rules.emit import model_words, words
from tinyml_rules.emit.groups import GroupWords
from tinyml_rules.emit.model_words import HeaderWords, SourceWords
from tinyml_rules.emit.templates_of import PACKAGE, environment, render
from tinyml_rules.emit.words import CallWords, KernelWords, PieceWords, sum_words
from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant, Words
from tinyml_rules.lower import groups
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared import image_rows, units
from tinyml_rules.ops._shared.copies import copy_work

FILES = {
    "emit/templates/model.c.j2": SourceWords,
    "emit/templates/model.h.j2": HeaderWords,
    "emit/templates/group.c.j2": GroupWords,
}
NO_PIECES = (
    "ops",
    "lower",
    "emit/templates",
    "firmware",
    "package",
    "web",
    "report_page",
    "projects",
)
"""Folders with other templates than those of pieces of C."""


Other = nodes.Include | nodes.Import | nodes.FromImport


@dataclass(frozen=True)
class Use:
    """A template with what it is rendered with."""

    template: str
    declared: Mapping[str, type[Words]]
    """{word: class that has the field}."""
    value: str = ""
    """What the template gets from a template that a word names."""

    @property
    def free(self) -> frozenset[str]:
        """The words that it says."""
        return free_words(self.template, self.value)


@cache
def free_words(template: str, value: str = "") -> frozenset[str]:
    """The names that a template takes from outside, with those of what it includes and imports."""
    tree = tree_of(template)
    # Jinja takes for free what is set, or is a macro, in a branch alone
    found = meta.find_undeclared_variables(tree) - set(_defined(tree))
    held = {*_defined(tree), *_held(tree)}
    for other, name in _others(tree, value):
        inner = free_words(name)
        if other.with_context:
            found |= inner - held
        else:
            assert not inner, f"{template}: {name} gets no words"
    return frozenset(found)


def _others(tree: nodes.Template, value: str) -> Iterator[tuple[Other, str]]:
    """What it includes and imports, and from where: one that a word names is `value`."""
    others: list[Other] = [
        *tree.find_all(nodes.Include),
        *tree.find_all(nodes.Import),
        *tree.find_all(nodes.FromImport),
    ]
    for each in others:
        yield each, each.template.value if isinstance(each.template, nodes.Const) else value


def _defined(tree: nodes.Template) -> Iterator[str]:
    """Variables and macros of a template."""
    yield from (name.name for name in tree.find_all(nodes.Name) if name.ctx == "store")
    yield from (macro.name for macro in tree.find_all(nodes.Macro))


def _held(tree: nodes.Template) -> Iterator[str]:
    """What else those find that it includes: parameters of macros, and what is imported."""
    yield from (name.name for name in tree.find_all(nodes.Name) if name.ctx == "param")
    yield from (each.target for each in tree.find_all(nodes.Import))
    for each in tree.find_all(nodes.FromImport):
        yield from (name if isinstance(name, str) else name[1] for name in each.names)


@cache
def tree_of(template: str) -> nodes.Template:
    loader = environment().loader
    assert loader is not None
    return environment().parse(loader.get_source(environment(), template)[0])


_DECLARED: dict[type[Words], dict[str, type[Words]]] = {}


def declared(kind: type[Words]) -> dict[str, type[Words]]:
    """{word: class that has the field}."""
    if kind not in _DECLARED:
        _DECLARED[kind] = _found(kind)
    return _DECLARED[kind]


def _found(kind: type[Words]) -> dict[str, type[Words]]:
    types = get_type_hints(kind)
    found: dict[str, type[Words]] = {}
    for field in fields(kind):
        of_field = types[field.name]
        if isinstance(of_field, type) and issubclass(of_field, Words):
            found |= declared(of_field)
        else:
            found[field.name] = next(
                each
                for each in reversed(kind.__mro__)
                if field.name in inspect.get_annotations(each)
            )
    return found


def declared_of(variant: Variant) -> dict[str, type[Words]]:
    """The same with the words of what the operator gave."""
    found: dict[str, type[Words]] = {}
    for name, value in vars(variant).items():
        found |= declared_of(value) if isinstance(value, Variant) else {}
        if not isinstance(value, Variant):
            found[name] = declared(type(variant))[name]
    return found


@cache
def uses() -> tuple[Use, ...]:
    """Every template that is rendered, each with all that it is rendered with."""
    pieces = (
        path.relative_to(PACKAGE).as_posix()
        for path in sorted(PACKAGE.rglob("*.c.j2"))
        if not path.relative_to(PACKAGE).as_posix().startswith(NO_PIECES)
    )
    return (
        *(Use(name, declared(kind)) for name, kind in FILES.items()),
        *(Use(name, declared(PieceWords)) for name in pieces),
        *{(use.template, tuple(use.declared), use.value): use for use in _of_kernels()}.values(),
    )


def _of_kernels() -> Iterator[Use]:
    for kernel in kernels():
        if kernel.template is None:
            continue
        kind = CallWords if kernel.form is Form.CALL else KernelWords
        template = kernel.template.relative_to(PACKAGE).as_posix()
        words = kernel.variant.context
        value = str(words.get("tile", words.get("value", "")))
        yield Use(template, {**declared(kind), **declared_of(kernel.variant)}, value)


def kernels() -> Iterator[Kernel]:
    """Of all operators, and those that only move elements."""
    for op in builtin_operators().values():
        for kernel in op.kernels:
            yield kernel
            if kernel.in_rows is not None:
                yield kernel.in_rows
    yield from (each for each in vars(image_rows).values() if isinstance(each, Kernel))
    yield from (units.join_kernel(2), units.PART)
    yield Kernel("group", groups.TEMPLATE, Form.WINDOW)
    for lists in ((), ((0, 1),)):
        place = Place(0, (2, 1), (1, 1), (1, 1), source=1, source_lists=lists)
        yield copy_work(place, DType.INT8)[1]


@pytest.mark.parametrize("template", sorted({use.template for use in uses()}))
def test_words_are_declared(template: str) -> None:
    """Whatever a template says is a field of what it is rendered with."""
    own = [use for use in uses() if use.template == template]
    assert [
        (use.free - set(use.declared), use.value) for use in own if use.free - set(use.declared)
    ] == []


def test_every_template_is_among_them() -> None:
    """By itself, or as what another one includes or imports."""
    reached: set[str] = set()
    for use in uses():
        _reach(use.template, use.value, reached)
    written = {
        path.relative_to(PACKAGE).as_posix()
        for folder in ("ops", "lower", "emit")
        for path in (PACKAGE / folder).rglob("*.j2")
    }
    names = {path.removeprefix("ops/").removeprefix("emit/") for path in written}
    assert names - {each.removeprefix("ops/").removeprefix("emit/") for each in reached} == set()


def _reach(template: str, value: str, reached: set[str]) -> None:
    if template in reached and not value:
        return
    reached.add(template)
    for _, name in _others(tree_of(template), value):
        _reach(name, "", reached)


def test_every_word_is_used() -> None:
    """By some template of the class that declares it, or of a class that has it too."""
    said = {(use.declared[word], word) for use in uses() for word in use.free & set(use.declared)}
    known = {(kind, word) for use in uses() for word, kind in use.declared.items()}
    assert known - said == set()


def test_no_word_is_declared_twice() -> None:
    """A variant takes none of those that every kernel has."""
    of_all = declared(KernelWords).keys() - declared(Variant).keys()
    assert [kernel.name for kernel in kernels() if of_all & kernel.variant.context.keys()] == []


def test_every_word_is_described() -> None:
    """In a line below it, unless it stands for words of its own."""
    files = {Path(inspect.getfile(kind)) for use in uses() for kind in use.declared.values()}
    assert {Path(words.__file__), Path(model_words.__file__)} < files
    every = {kind for use in uses() for kind in use.declared.values()}
    missing = [
        f"{kind.__qualname__}.{name}"
        for kind in every
        for name in _undescribed(kind)
        if name in declared(kind)
    ]
    assert missing == []


def _undescribed(kind: type[Words]) -> Iterator[str]:
    (tree,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(tree, ast.ClassDef)
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign):
            assert isinstance(node.target, ast.Name)
            is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            if not is_text:
                yield node.target.id


def test_a_word_too_many() -> None:
    """What is there twice is an error, and what nobody declared is one of Jinja."""

    @dataclass(frozen=True)
    class Twice(Words):
        one: Words
        plus: str

    with pytest.raises(ValueError, match="'plus' is there already, expected another name"):
        _ = Twice(sum_words(wraps=False), "").context
    kernel = next(
        kernel for kernel in builtin_operators()["max_pool_2d"].kernels if kernel.template
    )
    assert kernel.template is not None
    with pytest.raises(jinja2.UndefinedError, match="is undefined"):
        render(kernel.template, sum_words(wraps=False))
