"""`init`: a new firmware around a model, or the lines for the firmware that is there."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tinyml_rules.commands.console import Console
from tinyml_rules.compiler import compile_model
from tinyml_rules.projects.existing import firmware_in, lines_for, write_new
from tinyml_rules.projects.kind import kind_of, kinds
from tinyml_rules.projects.project import Order, Project, check_order, new_project, reference_words
from tinyml_rules.request.command_line import (
    add_model,
    chosen_name,
    chosen_target,
    model_bytes,
)
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.request.options_file import options_beside
from tinyml_rules.request.request import Request
from tinyml_rules.system.computer import shell_word
from tinyml_rules.target.target import HOST, Unchosen, part_notes

_OF_A_COMPILATION: dict[str, Any] = {
    "targets": [],
    "options": None,
    "spelling": "",
    "declared": None,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A kind, a model, a target, and the folder."""
    parser.add_argument("kind", metavar="KIND", help=f"one of {', '.join(kinds())}")
    add_model(parser)
    parser.add_argument(
        "--target",
        default=Unchosen(HOST),
        help="target, part or board; `targets` lists the targets (default: this computer, host)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder for the project (default: the model's name; where a firmware of the kind is "
        "already here, nothing is written, but what to add to it is printed)",
    )
    parser.set_defaults(**dict.fromkeys(OPTIONS), **_OF_A_COMPILATION)


def run(options: argparse.Namespace, console: Console) -> None:
    """Write the project and print its commands, or print what a firmware gets that is there.
    Raises UsageError where files are there that are not to be replaced."""
    kind, target = kind_of(options.kind), chosen_target(options)
    data, name = model_bytes(options), chosen_name(options)
    folder = options.out or Path(name)
    order = Order(kind, target, str(options.target), name, options.model, data, folder.name)
    there = firmware_in(options.out or Path(), kind)
    if there is not None:
        console.result("\n".join(_added(order, there)))
        return
    check_order(order)
    request = Request.of(data, name, target, options_beside(options.model, target.name))
    compiled = compile_model(request, console.show)
    for each in (*part_notes(target), *compiled.warnings):
        console.tell(str(each))
    console.show(f"{name}: the outputs of the reference for the test")
    project = new_project(order, compiled)
    console.show("")
    write_new(project.files, folder)
    console.result("\n".join(_written(order, project, folder)))


def _added(order: Order, there: Path) -> Iterator[str]:
    yield f"{there} is here, so that nothing is written; what to add to this firmware:"
    yield ""
    yield lines_for(order, there.parent).rstrip("\n")
    yield ""
    yield f"docs/{order.kind.page} of tinyml_rules says more."


def _written(order: Order, project: Project, folder: Path) -> Iterator[str]:
    count = len(project.files)
    yield f"{folder}: {order.name} for {order.word} with {order.kind.title}, {count} files"
    if project.vectors.arrays:
        yield f"  expected outputs of the test: {reference_words(project.vectors.reference)}"
    else:
        yield "  no expected outputs: the reference has none for this model; the test is left out"
    place = project.where or "build and test"
    yield f"  {place}:"
    if not project.where:
        yield f"    cd {shell_word(str(folder))}"
    yield from (f"    {each}" for each in project.commands)
