"""The page of the Python functions and their results, from signatures and docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from textwrap import dedent

import tinyml_rules
from tinyml_rules.errors import TinymlError
from tinyml_rules.reporting.record import docstrings_of
from tinyml_rules.reporting.rows import Rows, markdown

_FUNCTIONS = ("compile", "inspect", "quantize", "run", "fit", "report", "size", "load_target")
_RESULTS = {
    "compile": "CompiledModel",
    "inspect": "Inspection",
    "quantize": "QuantizedModel",
    "run": "RunResult",
    "fit": "FitResult",
    "report": "ReportPage",
    "size": "SizeTable",
}
"""The class of what each function returns."""


def python_parts() -> Mapping[str, str]:
    """{part of a page: its text}."""
    exported = {name: getattr(tinyml_rules, name) for name in tinyml_rules._EXPORTED}
    errors = [
        {"class": f"`{name}`", "what is wrong": _sentence(inspect.getdoc(each) or "")}
        for name, each in exported.items()
        if inspect.isclass(each) and issubclass(each, TinymlError)
    ]
    return {
        "python_functions": "\n\n".join(_function(name) for name in _FUNCTIONS),
        "python_results": "\n\n".join(_class(name) for name in (*_RESULTS.values(), "Table")),
        "python_errors": markdown(errors),
    }


def _function(name: str) -> str:
    """A heading, the call, and what the docstring says."""
    found = inspect.unwrap(getattr(tinyml_rules, name))
    gives = _RESULTS.get(name)
    link = f"\n\nThe result: [{gives}](#{gives.lower()})." if gives else ""
    call = "\n".join(_call(name, inspect.signature(found)))
    text = dedent(inspect.getdoc(found) or "")
    return f"### {name}\n\n```python\n{call}\n```\n\n{text}{link}"


def _call(name: str, signature: inspect.Signature) -> Iterator[str]:
    yield f"tr.{name}("
    has_star = False
    for each in signature.parameters.values():
        if each.kind is inspect.Parameter.KEYWORD_ONLY and not has_star:
            has_star = True
            yield "    *,"
        stars = "**" if each.kind is inspect.Parameter.VAR_KEYWORD else ""
        default = "" if each.default is each.empty else f" = {_default(each.default)}"
        kind = str(each.annotation).removeprefix("Unpack[").removesuffix("]" if stars else "")
        yield f"    {stars}{each.name}: {kind}{default},"
    yield f") -> {signature.return_annotation}"


def _default(value: object) -> str:
    return value.__name__ if inspect.isfunction(value) else repr(value)


def _class(name: str) -> str:
    """A heading, what it is, and a row for each attribute and method."""
    kind = getattr(tinyml_rules, name)
    rows: Rows = [
        {"name": f"`{member}`", "meaning": _cell(text)} for member, text in _members(kind)
    ]
    table = f"\n\n{markdown(rows)}" if rows else ""
    return f"### {name}\n\n{dedent(inspect.getdoc(kind) or '')}{table}"


def _members(kind: type) -> Iterator[tuple[str, str]]:
    if is_dataclass(kind):
        for name, text in docstrings_of(kind).items():
            yield name, text
    for name, member in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield name, inspect.getdoc(member) or ""
        elif inspect.isfunction(member):
            _, *given = inspect.signature(member).parameters.values()
            words = ", ".join(map(_argument, given))
            yield f"{name}({words})", inspect.getdoc(member) or ""


def _argument(each: inspect.Parameter) -> str:
    return each.name if each.default is each.empty else f"{each.name}={each.default!r}"


def _cell(text: str) -> str:
    found = _sentence(" ".join(text.split()).replace("|", "\\|"))
    return found if found[1:2].isupper() else f"{found[:1].lower()}{found[1:]}"


def _sentence(text: str) -> str:
    return " ".join(text.split()).rstrip(".")
