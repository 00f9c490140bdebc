"""troubleshooting.md: each message of the source stands there, and those there are the source's."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest

from generate.messages import AREAS, messages, on_page
from tests.conftest import PROJECT
from tests.docs.pages import read_page
from tests.support.operator_cases import OPERATORS, rejected_of
from tests.support.stages import checked
from tinyml_rules.errors import UnsupportedError

PACKAGE = PROJECT / "tinyml_rules"
PAGE = read_page("reference/troubleshooting.md")
PASSED_ON = {
    "arithmetic/rice.py": "its check is one of our own tables",
    "commands/parser.py": "what argparse says, where we have no words for it",
    "commands/size.py": "what was wrong on a target, each in the words of another",
    "api/size.py": "what went wrong for one target",
    "emit/templates_of.py": "what Jinja or a user's template raises",
    "frontends/bazel/packages.bzl": "what the asked Python prints",
    "passes/check.py": "what the operators' checks say",
    "reporting/cautions.py": "what an operator says of its sums",
    "runners/arrays.py": "the difference, told by `first_difference`",
    "runners/job.py": "what an emulator prints",
    "sensor/table.py": "what its callers expect",
}
"""Files with a place whose message is another's alone, and whose that is."""
MESSAGES = [
    message
    for heading in re.findall(r"^### (`.+)$", PAGE, re.M)
    for message in re.findall(r"`([^`]+)`", heading)
]


@cache
def templates() -> tuple[str, ...]:
    """Every text of the package, with `…` for each value that is filled in, and every message as it
    is put together."""
    whole = tuple(on_page(each.text) for each in messages(PACKAGE))
    return whole + tuple(
        template
        for file in sorted(PACKAGE.rglob("*.py"))
        if file.name != "cases.py"
        for template in texts_of(ast.parse(file.read_text(encoding="utf-8")))
    )


def texts_of(tree: ast.AST) -> Iterator[str]:
    """The strings of one file, those of an f-string joined."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_there_are_messages() -> None:
    assert len(MESSAGES) > 30
    assert len(MESSAGES) == len(set(MESSAGES))


def test_messages_are_in_the_source() -> None:
    """A changed message changes the page."""
    every = templates()
    assert [each for each in MESSAGES if not any(each in text for text in every)] == []


def test_every_message_is_on_the_page() -> None:
    missing = {
        f"{each.module}:{each.line}: {each.text}"
        for each in messages(PACKAGE)
        if each.has_words and not any(part in PAGE for part in (each.text, on_page(each.text)))
    }
    assert missing == set()


def test_every_message_is_read() -> None:
    """Where a message is only a value, it is said whose it is; and each room has its area."""
    found = messages(PACKAGE)
    unread = {each.module for each in found if not each.has_words}
    assert {each for each in unread if not each.startswith("ops/")} <= PASSED_ON.keys()
    parts = tuple(part for _, parts in AREAS for part in parts)
    assert {each.module for each in found if not each.module.startswith(parts)} == set()
    assert len(found) > 400


def test_what_operators_refuse_is_on_the_page() -> None:
    """The reading of the source is compared with what is really said of each refused case."""
    said = set()
    for operator in OPERATORS:
        for rejected in rejected_of(operator).values():
            with pytest.raises(UnsupportedError) as caught:
                checked(rejected.model)
            said |= {problem.what for problem in caught.value.problems}
    known = [
        re.compile(".*".join(map(re.escape, each.text.split("…"))), re.S)
        for each in messages(PACKAGE)
        if each.has_words
    ]
    assert len(said) > 100
    assert sorted(text for text in said if not any(each.fullmatch(text) for each in known)) == []
