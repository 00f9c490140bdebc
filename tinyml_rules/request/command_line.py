"""The options that several commands share: the model, the target, and what decides what a model is
compiled to."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml_rules.errors import UsageError
from tinyml_rules.ir.c_names import identifier
from tinyml_rules.request.model_path import read_model_file
from tinyml_rules.request.option import Kind, Option, parsed_by
from tinyml_rules.request.options import OPTIONS, named_files, parsed
from tinyml_rules.request.options_file import chosen_file, read_options
from tinyml_rules.request.outputs import output_suffixes
from tinyml_rules.request.wording import SPELLINGS
from tinyml_rules.target.target import HOST, Target, Unchosen, default_search, load_target

if TYPE_CHECKING:
    from tinyml_rules.request.request import Request


def add_model(parser: argparse.ArgumentParser) -> None:
    """The model's file, and its name in C."""
    parser.add_argument(
        "model",
        type=Path,
        metavar="MODEL.tflite",
        help="the model: a .tflite file, or C source that has one as an array",
    )
    parser.add_argument("--name", help="prefix of every C symbol (default: from the file's name)")


def add_compilation(parser: argparse.ArgumentParser) -> None:
    """A model, a target, and the options of a compilation."""
    add_model(parser)
    parser.add_argument(
        "--target",
        default=Unchosen(HOST),
        help="target, part or board; `targets` lists the targets (default: this computer, host)",
    )
    add_targets_folder(parser)
    add_compile_options(parser)


def add_targets_folder(parser: argparse.ArgumentParser) -> None:
    """Folders of further targets."""
    parser.add_argument(
        "--targets",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="a folder with targets of your own; may be repeated",
    )


def model_bytes(options: argparse.Namespace) -> bytes:
    """The contents of the model's file; UsageError, with the closest name, if there is none."""
    return read_model_file(options.model)


def chosen_name(options: argparse.Namespace) -> str:
    """The prefix of every C symbol."""
    return str(options.name or identifier(options.model.stem))


def chosen_target(options: argparse.Namespace, name: str = "") -> Target:
    """The target called `name`, else the one of --target; raises UsageError or TargetError."""
    return load_target(name or options.target, search=(*options.targets, *default_search()))


def add_options(parser: argparse.ArgumentParser, table: Mapping[str, Option]) -> None:
    """Add the options of a step to a command, below their headings.  An option that is not
    given is None."""
    groups: dict[str, argparse._ActionsContainer] = {"": parser}
    for option in table.values():
        if option.group not in groups:
            groups[option.group] = parser.add_argument_group(option.group)
        _add_option(groups[option.group], option)


def values_of(options: argparse.Namespace, table: Mapping[str, Option]) -> dict[str, Any]:
    """The values of the given options, by name; raises UsageError for an unknown word."""
    return parsed_by(table, words_given(options, table))


def words_given(options: argparse.Namespace, table: Mapping[str, Option]) -> dict[str, Any]:
    """The same as they were typed, None for those that are not given."""
    return {name: _given(options, option) for name, option in table.items()}


def compile_arguments(options: argparse.Namespace) -> dict[str, Any]:
    """What the functions of the package are given for the options of a compilation and what goes
    with them.  Raises UsageError where a file of options asks for what a build has not declared."""
    if options.declared:
        chosen_options(options, options.target)
    return {
        "name": options.name or "",
        "target_folders": options.targets,
        "options_file": options.options,
        **words_given(options, OPTIONS),
    }


def add_compile_options(parser: argparse.ArgumentParser) -> None:
    """Add those of a compilation, and what goes with them."""
    add_options(parser, OPTIONS)
    parser.add_argument(
        "--options",
        metavar="FILE",
        help="a file with values for the options that are not given here (default: "
        "MODEL.tinyml.toml next to the model, if it exists; '' for no file)",
    )
    # for front ends that run the command line: how their users write settings, and the ends of the
    # names of the files that they have declared before they could read the file of options
    parser.add_argument("--spelling", choices=tuple(SPELLINGS), default="", help=argparse.SUPPRESS)
    parser.add_argument("--declared", action="append", help=argparse.SUPPRESS)


def add_operators(parser: argparse.ArgumentParser) -> None:
    """The folders of a user's operators, for a command without the other options."""
    _add_option(parser, OPTIONS["operators"])


def given_operators(options: argparse.Namespace) -> dict[str, Any]:
    """The given operators, for such a command; empty if none are given."""
    return parsed({"operators": options.operators})


def _add_option(parser: argparse._ActionsContainer, option: Option) -> None:
    forms: dict[Kind, dict[str, Any]] = {
        Kind.SWITCH: {"action": argparse.BooleanOptionalAction},
        Kind.WORD: {"action": "append"},
        Kind.TEXT: {"action": "append"},
        Kind.PAIRS: {"action": "append"},
        Kind.FOLDERS: {"action": "append"},
    }
    form = forms.get(option.kind, {})
    if option.metavar:
        form = {**form, "metavar": option.metavar}
    if option.is_required:
        form = {**form, "required": True}
    parser.add_argument(f"--{option.dashed}", default=None, help=option.meaning(), **form)


def read_files(options: argparse.Namespace) -> list[Path]:
    """The model, the file of options that counts, where there is one, and those that it and the
    command line name."""
    file = _chosen_file(options)
    named = named_files(chosen_options(options, options.target))
    return [options.model, *([file] if file else []), *map(Path, named)]


def _chosen_file(options: argparse.Namespace) -> Path | None:
    return chosen_file(options.model, options.options)


def chosen_options(options: argparse.Namespace, target: str = "") -> dict[str, Any]:
    """By name: those that are given, then those of the file for the target.  Raises UsageError for
    a word that means nothing."""
    file = _chosen_file(options)
    given = values_of(options, OPTIONS)
    found = {**(read_options(file, target) if file else {}), **given}
    _check_declared(options.declared, found, file)
    return found


def _given(options: argparse.Namespace, option: Option) -> Any:
    """The value of an option, None where it is not given; raises UsageError for a word in the place
    of another, which would be lost."""
    found = getattr(options, option.name)
    if option.kind not in (Kind.WORD, Kind.TEXT) or found is None:
        return found
    words = list(dict.fromkeys(found))
    if len(words) > 1:
        every = " and ".join(f"--{option.dashed}={word}" for word in words)
        raise UsageError.at(option.name, f"{every} exclude each other, expected one of them")
    return words[0]


def _check_declared(declared: list[str] | None, found: dict[str, Any], file: Path | None) -> None:
    """Raise UsageError where the file asks for an output that the build does not expect."""
    more = set(output_suffixes(found)) - set(declared or output_suffixes(found))
    for suffix in sorted(more):
        what = f'weights = "external" makes NAME{suffix}, which the build file does not expect'
        raise UsageError.at(str(file), what, hint="write --weights=external there as well")


def request_of(options: argparse.Namespace, model: bytes, name: str, target: Target) -> Request:
    """The request of the options; raises UsageError for an unknown word."""
    from tinyml_rules.request.request import Request  # noqa: PLC0415 - not all have one

    return Request.of(model, name, target, chosen_options(options, target.name))
