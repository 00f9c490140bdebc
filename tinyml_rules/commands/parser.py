"""How the command line is read: argparse, with commands in groups, choices on lines of their own,
and errors in the form of all others."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from tinyml_rules.errors import Problem, UsageError, did_you_mean
from tinyml_rules.system.computer import shell_word


class LinesFormatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of a description and of an option's choices."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        first, *choices = text.split("\n")
        lines = super()._split_lines(first, width)
        for choice in choices:
            word, *more = super()._split_lines(choice, width - _INDENT)
            lines += [" " * _INDENT + each for each in (word, *(f"  {each}" for each in more))]
        return lines


_INDENT = 2


class CommandParser(argparse.ArgumentParser):
    """Raises UsageError where argparse prints its own messages.

    `groups`: headings with the names of the commands below each; empty for a command itself.
    `add_later`: adds the arguments of a command, when they are needed.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=LinesFormatter, **settings)
        self.groups: Mapping[str, Sequence[str]] = {}
        self.add_later: Callable[[CommandParser], None] | None = None

    def add_arguments(self) -> None:
        """Add those that were left for later."""
        add, self.add_later = self.add_later, None
        if add is not None:
            add(self)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse; unknown arguments are an error; without a command, print the help."""
        self.add_arguments()
        words = list(sys.argv[1:] if args is None else args)
        if self.groups and not words:
            self.print_help()
            self.exit(UsageError.exit_status)
        if self.groups and words[0].startswith("-") and words[0] not in self._option_string_actions:
            self._raise(_before_command(self, words[0]))
        known, others = super().parse_known_args(words, namespace)
        if others:
            self._raise(_left_over(self, others))
        return known, others

    def error(self, message: str) -> NoReturn:
        """Raise argparse's error in the style of our messages; unknown texts stay as they are."""
        for pattern, explain in _FORMS.items():
            found = re.match(pattern, message, re.S)
            if found:
                self._raise(explain(self, *found.groups()))
        self._raise(Problem(self.prog, message))

    def _raise(self, problem: Problem) -> NoReturn:
        where = f"`{self.prog} --help` lists {'all commands' if self.groups else 'its options'}"
        hint = f"{problem.hint} {where}" if problem.hint else where
        raise UsageError([Problem(problem.where, problem.what, hint)])

    def action(self, name: str) -> argparse.Action | None:
        """The argument that argparse calls so in a message."""
        names = name.split("/")
        return next(
            (
                each
                for each in self._actions
                if set(names) & {*each.option_strings, each.metavar, each.dest}
            ),
            None,
        )

    def format_help(self) -> str:
        """Commands below their headings."""
        if not self.groups:
            pages = documentation()
            return super().format_help() + (f"\n{pages}\n" if pages else "")
        (commands,) = (each for each in self._actions if hasattr(each, "_choices_actions"))
        shown = {each.dest: each for each in commands._choices_actions}
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for heading, names in self.groups.items():
            formatter.start_section(heading)
            formatter.add_arguments([shown[name] for name in names])
            formatter.end_section()
        formatter.start_section("options")
        formatter.add_arguments([each for each in self._actions if each is not commands])
        formatter.end_section()
        formatter.add_text(self.epilog)
        formatter.add_text(documentation())
        return formatter.format_help()


def documentation() -> str:
    """Where the pages are: in a checkout its own folder, else the address of the project; nothing
    where the package is not installed."""
    page = Path(__file__).resolve().parents[2] / "docs" / "README.md"
    if page.is_file():
        return f"documentation: {page}"
    from importlib import metadata  # noqa: PLC0415 - slow, and seldom needed

    try:
        urls = metadata.metadata("tinyml-rules").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return ""
    return "".join(f"documentation: {url.partition(', ')[2]}" for url in urls[:1])


def _before_command(parser: CommandParser, option: str) -> Problem:
    meant = did_you_mean(option, parser._option_string_actions)
    what = f"found '{option}' before the command, expected COMMAND first"
    return Problem(parser.prog, what, meant or "options follow the command;")


def _left_over(parser: CommandParser, words: Sequence[str]) -> Problem:
    option = next((each.split("=")[0] for each in words if each.startswith("-")), "")
    if not option:
        return Problem(parser.prog, f"found '{words[0]}', expected no more than its arguments")
    known = [
        name
        for each in parser._actions
        for name in each.option_strings
        if each.help != argparse.SUPPRESS
    ]
    return Problem(parser.prog, f"unknown option '{option}'", did_you_mean(option, known))


def _unknown_word(parser: CommandParser, name: str, word: str) -> Problem:
    action = parser.action(name)
    known = [str(each) for each in (action.choices if action and action.choices else ())]
    if parser.groups:
        meant = did_you_mean(word, known)
        if Path(word).exists():
            meant = f"`tinyml_rules inspect {shell_word(word)}` shows what is in a model;"
        return Problem(parser.prog, f"unknown command '{word}'", meant)
    is_option = action is not None and action.option_strings
    found = f"{name} is" if is_option else "found"
    what = f"{found} '{word}', expected one of {', '.join(known)}"
    return Problem(parser.prog, what, did_you_mean(word, known))


def _missing(parser: CommandParser, names: str) -> Problem:
    words = []
    for name in names.split(", "):
        action = parser.action(name)
        is_option = action is not None and action.option_strings
        words.append(f"{name} {_value(action)}" if action and is_option else name)
    return Problem(parser.prog, f"missing {' and '.join(words)}")


def _without_value(parser: CommandParser, name: str) -> Problem:
    action = parser.action(name)
    return Problem(parser.prog, f"{name} has no value, expected {_value(action)}")


def _value(action: argparse.Action | None) -> str:
    return str(action.metavar or action.dest.upper()) if action else "one"


def _exclusive(parser: CommandParser, name: str, other: str) -> Problem:
    return Problem(parser.prog, f"{other} and {name} exclude each other, expected one of them")


def _ambiguous(parser: CommandParser, word: str, names: str) -> Problem:
    return Problem(parser.prog, f"'{word}' is short for several options, expected one of {names}")


def _with_value(parser: CommandParser, name: str, word: str) -> Problem:
    return Problem(parser.prog, f"{name} takes no value, found {word}")


_FORMS: Mapping[str, Callable[..., Problem]] = {
    r"the following arguments are required: (.+)": _missing,
    r"argument (\S+): invalid choice: '?(.*?)'? \(choose from": _unknown_word,
    r"argument (\S+): expected (?:one|at least one) argument": _without_value,
    r"argument (\S+): not allowed with argument (\S+)": _exclusive,
    r"ambiguous option: (\S+) could match (.+)": _ambiguous,
    r"argument (\S+): ignored explicit argument (.+)": _with_value,
}
"""argparse's messages, and what is said in their place."""
