"""`compile`: a model into the files that a build takes."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from tinyml_rules.api.compile import CompiledModel, write_outputs
from tinyml_rules.api.compile import compile as compiled_of
from tinyml_rules.commands.console import Console
from tinyml_rules.commands.notes import (
    add_depfile,
    add_stamp,
    for_build_systems,
    write_depfile,
    write_stamp,
)
from tinyml_rules.reporting import tables
from tinyml_rules.reporting.record import to_json
from tinyml_rules.request.command_line import add_compilation, compile_arguments, read_files
from tinyml_rules.request.wording import worded
from tinyml_rules.system.sources import compiler_files
from tinyml_rules.target.file import FILE_NAME
from tinyml_rules.target.target import Unchosen


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a compilation, and its own."""
    add_compilation(parser)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="folder for the files (default: the current one)",
    )
    build = for_build_systems(parser)
    add_depfile(build, "NAME.c")
    build.add_argument(
        "--watch-folder",
        action="store_true",
        help="with --depfile for Ninja: name the model's folder too, so that a file of options is "
        "seen that appears there",
    )
    add_stamp(build)
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print the report as JSON")
    shown.add_argument(
        "--line", action="store_true", help="print one line of figures, as build systems do"
    )
    shown.add_argument("--quiet", action="store_true", help="print nothing but errors and warnings")


def run(options: argparse.Namespace, console: Console) -> None:
    """Write the files, and what build systems ask for; print the figures."""
    made = compiled_of(
        options.model, options.target, progress=console.show, **compile_arguments(options)
    )
    for warning in made.warnings:
        console.tell(worded(warning, options.spelling))
    hint = "write elsewhere with --out FOLDER, or under another name with --name NAME"
    write_outputs(made.compiled.outputs, options.out, hint=hint)
    _write_notes(options, made)
    console.result(_text(options, made, console.arrow))


def _text(options: argparse.Namespace, made: CompiledModel, arrow: str) -> str:
    if options.json:
        return json.dumps(to_json(made.report), indent=2)
    if options.line:
        return tables.model_line(str(options.model), made.report, arrow=arrow)
    if options.quiet:
        return ""
    lines = [worded(tables.model_summary(made.report), options.spelling)]
    return "\n".join([*lines, *_what_was_written(options, made)])


def _what_was_written(options: argparse.Namespace, made: CompiledModel) -> Iterator[str]:
    """A list of the files, and a note if no part was named."""
    folder = options.out.resolve() if options.out == Path() else options.out
    yield f"  written to {folder}: {', '.join(made.compiled.outputs)}"
    if isinstance(options.target, Unchosen):
        yield "  no --target was given: this is portable C for this computer (host)"


def _write_notes(options: argparse.Namespace, made: CompiledModel) -> None:
    chain = [folder / FILE_NAME for folder in made.target.folders]
    folder = [options.model.parent] if options.watch_folder else []
    read = [*map(str, [*read_files(options), *chain, *folder]), *compiler_files("cli.py")]
    rule = options.stamp or options.out / f"{made.name}.c"
    write_depfile(options.depfile, rule, read)
    write_stamp(options.stamp)
