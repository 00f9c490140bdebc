"""Every message of an error or a warning that the program can end with or print, for a page.

They are read from the sources (`message_texts.py`): what is given to the classes of errors.py, to
SCons's and argparse's errors, what the checks of operators yield, and what the files of CMake, Make
and Bazel stop with.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from generate.message_names import argument, last_name
from generate.message_texts import VALUE, Place, Source
from tinyml_rules.reporting.rows import Rows, markdown

AREAS = (
    ("The model's file", ("model_file/", "converting/")),
    ("What a model may be", ("ops/", "passes/", "lower/", "emit/", "overview/", "compiler.py")),
    ("Quantizing", ("quantizer/",)),
    ("Sensors and decisions", ("sensor/", "surroundings/")),
    (
        "Commands, options and files",
        ("cli.py", "api/", "commands/", "request/", "system/", "errors.py"),
    ),
    ("Targets", ("target/", "cores/")),
    ("Memory", ("plan/", "fitting/", "ranges/", "arithmetic/", "ir/")),
    (
        "Building, measuring and running",
        ("firmware/", "runners/", "worst_case/", "tune/", "reporting/"),
    ),
    ("Accuracy", ("accuracy/",)),
    ("Comparing with a reference", ("compare/",)),
    ("Libraries and new projects", ("package/", "projects/")),
    ("A report, a live page", ("report_page/", "web/")),
    ("Build systems", ("frontends/", "defs.bzl", "repositories.bzl")),
)
"""Headings of the page, and the parts of the package whose messages stand below each."""

_ANY = re.compile(r"[^\W\d_]{2}")
_WITH_WHAT = {"Problem": 1, "TypeProblem": 1, "Caution": 1, "Note": 1, "at": 1}
"""Which argument is the message; `at` is that of the classes of errors."""
_ALONE = (
    *("BrokenBufferError", "BrokenOptionsError", "WrongOptionsError", "ArgumentTypeError"),
    "WrongType",
)
_TESTED = ("cases.py", "rejected_cases.py", "oracle.py")
"""What no user's model goes through, or has no messages."""
_OF_FRONT_ENDS = {
    "*.cmake": re.compile(r'FATAL_ERROR ((?:\s*"(?:[^"\\]|\\.)*")+)'),
    "*.bzl": re.compile(r'fail\(((?:\s*"(?:[^"\\]|\\.)*")+)'),
    "*.mk": re.compile(r"\$\(error ((?:[^()$\\]|\\\n|\$\([^()]*\)|\$.)*)\)"),
    "*.j2": re.compile(r'#error ("[^\n]*")'),
}
_FILLED = re.compile(r"\$\{\w+\}|\$\([^()]*\)|\$\d|%[sdr]|\{\{.*?\}\}")


@dataclass(frozen=True)
class Message:
    """A message, with a `…` for each value, the hint that may follow, and the file it is from."""

    text: str
    hint: str
    module: str
    line: int

    @property
    def has_words(self) -> bool:
        """Whether it says anything but values."""
        return bool(_ANY.search(self.text))


def messages(package: Path) -> tuple[Message, ...]:
    """Every message of the package, once for each place, in the order of files and lines."""
    return _messages(package.resolve())


@cache
def _messages(package: Path) -> tuple[Message, ...]:
    files = [each for each in sorted(package.rglob("*.py")) if each.name not in _TESTED]
    source = Source.of(files, package)
    found = [*_raised(source), *_checked(source), *_of_front_ends(package)]
    told = (each for each in found if each.module != "errors.py")  # passes on
    return tuple(sorted(told, key=lambda each: (each.module, each.line)))


def message_sections(package: Path, told: str) -> str:
    """The messages that `told` does not have already, as tables by area."""
    every = {on_page(each.text): each for each in reversed(messages(package)) if each.has_words}
    others = [each for text, each in every.items() if f"`{text}`" not in told]
    sections = []
    for heading, parts in AREAS:
        rows: Rows = [
            {"message": f"`{on_page(each.text)}`", "what to do": _cell(each.hint)}
            for each in sorted(others, key=lambda each: on_page(each.text).lower())
            if each.module.startswith(parts)
        ]
        if rows:
            sections.append(f"### {heading}\n\n{markdown(rows)}")
    return "\n\n".join(sections)


def on_page(text: str) -> str:
    """On one line, values that touch as one, without what a table or code takes for its own."""
    line = re.sub(r"…(?:\s*…)+", VALUE, " ".join(text.split()))
    return line.replace("`", "'").replace("|", "\\|")


def _cell(hint: str) -> str:
    return on_page(hint).replace("<", "&lt;")


def _raised(source: Source) -> Iterator[Message]:
    """What is given to an error's class."""
    for name, position in (*_WITH_WHAT.items(), *((each, 0) for each in _ALONE)):
        for place, call in source.calls.get(name, []):
            if name == "at" and not _is_class(call.func):
                continue
            text = argument(call, position, "what")
            if text is not None:
                behind = position + 1 if name in _WITH_WHAT and name != "at" else None
                hint = argument(call, behind, "hint")
                yield from _told(source, Place(text, place.module, place.functions), hint)


def _is_class(function: ast.expr) -> bool:
    owner = last_name(function.value) if isinstance(function, ast.Attribute) else ""
    return owner == "cls" or owner.endswith(("Error", "Caution", "Note"))


def _checked(source: Source) -> Iterator[Message]:
    """What the operators' checks say of a node, and of sums that leave int32."""
    for place, call in source.calls.get("Work", []):
        text = argument(call, None, "overflow")
        if text is not None:
            yield from _told(source, Place(text, place.module, place.functions), None)
    seen: set[ast.AST] = set()
    for functions in source.functions.values():
        for module, function in functions:
            gives = ast.unparse(function.returns) if function.returns else ""
            if module.startswith("ops/") and gives == "Iterator[str]":
                for place in source.yielded(function, module, seen):
                    yield from _told(source, place, None)


def _told(source: Source, place: Place, hint: ast.expr | None) -> Iterator[Message]:
    hints = source.texts(Place(hint, place.module, place.functions)) if hint else ()
    shown = next((each for each in hints if _ANY.search(each)), "")
    for text in source.texts(place):
        yield Message(text, shown, place.module, place.node.lineno)


def _of_front_ends(package: Path) -> Iterator[Message]:
    """What the files stop with that no Python reads."""
    for pattern, stop in _OF_FRONT_ENDS.items():
        for file in sorted(package.rglob(pattern)):
            text = file.read_text(encoding="utf-8")
            for match in stop.finditer(text):
                words = re.sub(r'"\s*"|\\\n\s*|"', "", match[1]).replace("\\n", "\n")
                what = _FILLED.sub(VALUE, words.split("error: ")[-1])
                message, _, hint = what.partition("\n  hint: ")
                line = text.count("\n", 0, match.start()) + 1
                yield Message(message, hint, file.relative_to(package).as_posix(), line)
