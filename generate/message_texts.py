"""What the messages of a Python source can say, read from its syntax tree: `…` stands for a value.

A text is followed through names, parameters, conditions and calls of functions of the same source.
What a value of another kind says is not known here, so that it is a `…`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from generate.message_names import argument, gathered, given, last_name, walk, walked

VALUE = "…"
_MOST = 64
"""Texts of one place; more than this are not told apart."""
_KEEPS_WORDS = ("strip", "rstrip", "join")
"""Methods of texts whose result says what they are given."""
_Function = ast.FunctionDef


@dataclass(frozen=True)
class Place:
    """An expression and the functions around it, the inner one last."""

    node: ast.expr
    module: str
    functions: tuple[_Function, ...]


@dataclass
class Source:
    """Every module of a package: its functions, names and calls."""

    modules: dict[str, ast.Module] = field(default_factory=dict)
    functions: dict[str, list[tuple[str, _Function]]] = field(default_factory=dict)
    calls: dict[str, list[tuple[Place, ast.Call]]] = field(default_factory=dict)
    _known: dict[ast.expr, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Sequence[Path], root: Path) -> Source:
        """The modules named by their paths from `root`."""
        source = cls()
        for file in files:
            name = file.relative_to(root).as_posix()
            tree = ast.parse(file.read_text(encoding="utf-8"))
            source.modules[name] = tree
            for call, around in walk(tree, ()):
                if isinstance(call, ast.Call):
                    place = Place(call, name, around)
                    source.calls.setdefault(last_name(call.func), []).append((place, call))
                elif isinstance(call, ast.FunctionDef):
                    source.functions.setdefault(call.name, []).append((name, call))
        return source

    def texts(self, place: Place) -> tuple[str, ...]:
        """All that an expression can be as a text, without doubles, in the order of the source."""
        if place.node not in self._known:
            self._known[place.node] = (VALUE,)  # what a text is made from itself says no more
            found = dict.fromkeys(self._texts(place))
            self._known[place.node] = tuple(found)[:_MOST] or (VALUE,)
        return self._known[place.node]

    def yielded(self, function: _Function, module: str, seen: set[ast.AST]) -> Iterator[Place]:
        """The expressions that a function yields, or returns in a list or tuple, and those of the
        functions that it asks, but for functions that were `seen`."""
        if function in seen:
            return
        seen.add(function)
        for node, around in walk(function, ()):
            if isinstance(node, ast.Yield) and node.value is not None:
                yield Place(node.value, module, around)
            elif isinstance(node, ast.YieldFrom | ast.Return) and node.value is not None:
                yield from self._elements(Place(node.value, module, around), seen)

    def _elements(self, place: Place, seen: set[ast.AST]) -> Iterator[Place]:
        """The expressions in a list, or in what a call gives one after the other."""
        node = place.node
        if node in seen:
            return
        seen.add(node)
        if isinstance(node, ast.List | ast.Tuple):
            plain = [each for each in node.elts if not isinstance(each, ast.Starred)]
            yield from (Place(each, place.module, place.functions) for each in plain)
        elif isinstance(node, ast.GeneratorExp | ast.ListComp):
            yield Place(node.elt, place.module, place.functions)
        elif isinstance(node, ast.Call):
            for module, function in self._named(last_name(node.func), place.module):
                yield from self.yielded(function, module, seen)
        for each in _lists_in(place):
            yield from self._elements(Place(each, place.module, place.functions), seen)
        if isinstance(node, ast.Name):
            for constant in self._imported(node.id, place.module):
                yield from self._elements(constant, seen)

    def _named(self, name: str, module: str) -> list[tuple[str, _Function]]:
        """The functions of that name: those of the module itself if it has some."""
        found = self.functions.get(name, [])
        return [each for each in found if each[0] == module] or found

    def _texts(self, place: Place) -> Iterator[str]:
        node = place.node

        def of(each: ast.expr) -> tuple[str, ...]:
            return self.texts(Place(each, place.module, place.functions))

        if isinstance(node, ast.Constant):
            yield str(node.value) if isinstance(node.value, str) else VALUE
        elif isinstance(node, ast.JoinedStr):
            parts = [_of_part(part, of) for part in node.values]
            yield from ("".join(words) for words in product(*parts))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            yield from (a + b for a, b in product(of(node.left), of(node.right)))
        elif isinstance(node, ast.IfExp):
            yield from (*of(node.body), *of(node.orelse))
        elif isinstance(node, ast.BoolOp):
            yield from (text for each in node.values for text in of(each))
        elif isinstance(node, ast.Name):
            yield from self._of_name(node.id, place)
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            tables = given(self.modules[place.module], node.value.id, node.lineno)
            entries = [each for table in tables for each in getattr(table, "values", ())]
            yield from [text for each in entries for text in of(each)] or (VALUE,)
        elif isinstance(node, ast.Call):
            yield from self._of_call(node, place)
        else:
            yield VALUE

    def _of_name(self, name: str, place: Place) -> Iterator[str]:
        """What is assigned to it, or what callers give."""
        scopes = (*reversed(place.functions), self.modules[place.module])
        for scope in scopes:
            values = [
                Place(value, place.module, place.functions)
                for value in given(scope, name, place.node.lineno)
            ]
            for each in walked(scope, name):
                values += self._elements(Place(each, place.module, place.functions), set())
            if isinstance(scope, ast.FunctionDef):
                values += self._arguments(scope, name, place.module)
            for value in values:
                yield from self.texts(value)
            if values:
                return
        imported = self._imported(name, place.module)
        yield from [text for each in imported for text in self.texts(each)] or (VALUE,)

    def _imported(self, name: str, module: str) -> list[Place]:
        """What a constant of another module is."""
        for node in ast.walk(self.modules[module]):
            if isinstance(node, ast.ImportFrom) and name in [each.name for each in node.names]:
                file = f"{(node.module or '').partition('.')[2].replace('.', '/')}.py"
                values = given(self.modules[file], name, 0) if file in self.modules else []
                return [Place(each, file, ()) for each in values]
        return []

    def _arguments(self, function: _Function, name: str, module: str) -> list[Place]:
        """What calls of a function give for one of its parameters."""
        words = function.args
        names = [each.arg for each in (*words.posonlyargs, *words.args)]
        if name not in [*names, *(each.arg for each in words.kwonlyargs)]:
            return []
        is_method = names[:1] in (["self"], ["cls"])
        position = names.index(name) - is_method if name in names else None
        found = []
        for place, call in self.calls.get(function.name, []):
            owners = [each for each, _ in self._named(function.name, place.module)]
            given = argument(call, position, name)
            if given is not None and module in owners:
                found.append(Place(given, place.module, place.functions))
        return found

    def _of_call(self, call: ast.Call, place: Place) -> Iterator[str]:
        name = last_name(call.func)
        if isinstance(call.func, ast.Attribute) and name in _KEEPS_WORDS:
            (given,) = call.args if name == "join" and call.args else (call.func.value,)
            words = given.elts[:1] if isinstance(given, ast.List) else [given]
            more = f": {VALUE}" if words != [given] else ""
            for each in words:
                found_texts = self.texts(Place(each, place.module, place.functions))
                yield from (text + more for text in found_texts)
            return
        is_ours = isinstance(call.func, ast.Name) or _is_of_self(call.func)
        found = self._named(name, place.module) if is_ours else []
        for module, function in found[:1]:
            for node, around in walk(function, ()):
                if isinstance(node, ast.Return) and node.value is not None:
                    yield from self.texts(Place(node.value, module, around))
        if not found:
            yield VALUE


def _is_of_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and last_name(node.value) in ("self", "cls")


def _of_part(part: ast.expr, of: object) -> tuple[str, ...]:
    """A piece of an f-string: of our own texts what they say, of values a `…`."""
    if isinstance(part, ast.Constant):
        return (str(part.value),)
    assert isinstance(part, ast.FormattedValue) and callable(of)
    if part.conversion != -1 or part.format_spec is not None or isinstance(part.value, ast.Call):
        return (VALUE,)
    texts: tuple[str, ...] = of(part.value)
    return texts if len(texts) <= _FEW else (VALUE,)


_FEW = 4
"""Texts for one piece of a message; where there are more, they are told as a value."""


def _lists_in(place: Place) -> Iterator[ast.expr]:
    """The lists that an expression is made of."""
    node = place.node
    if isinstance(node, ast.List | ast.Tuple):
        yield from (each.value for each in node.elts if isinstance(each, ast.Starred))
    elif isinstance(node, ast.BoolOp):
        yield from node.values
    elif isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    elif isinstance(node, ast.Name) and place.functions:
        yield from gathered(place.functions[-1], node.id)
