"""`compile`: a model into the files that a build takes."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from tinyml_rules.commands.compiled import compiled_model
from tinyml_rules.commands.console import Console
from tinyml_rules.commands.notes import (
    add_depfile,
    add_stamp,
    for_build_systems,
    write_depfile,
    write_stamp,
)
from tinyml_rules.compiler import Compiled
from tinyml_rules.reporting import tables
from tinyml_rules.reporting.record import to_json
from tinyml_rules.request.command_line import (
    add_compilation,
    chosen_name,
    chosen_target,
    read_files,
)
from tinyml_rules.request.wording import worded
from tinyml_rules.system.files import remove_files, write_files
from tinyml_rules.system.ours import check_ours, left_over
from tinyml_rules.system.sources import compiler_files
from tinyml_rules.target.file import FILE_NAME
from tinyml_rules.target.target import Target, Unchosen


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
    target = chosen_target(options)
    compiled = compiled_model(options, target, console)
    hint = "write elsewhere with --out FOLDER, or under another name with --name NAME"
    check_ours(compiled.outputs, options.out, hint=hint)
    former = left_over(compiled.outputs, options.out)
    write_files(compiled.outputs, options.out)
    remove_files(former)
    _write_notes(options, target)
    console.result(_text(options, compiled, console.arrow))


def _text(options: argparse.Namespace, compiled: Compiled, arrow: str) -> str:
    if options.json:
        return json.dumps(to_json(compiled.report), indent=2)
    if options.line:
        return tables.model_line(str(options.model), compiled.report, arrow=arrow)
    if options.quiet:
        return ""
    lines = [worded(tables.model_summary(compiled.report), options.spelling)]
    return "\n".join([*lines, *_what_was_written(options, compiled)])


def _what_was_written(options: argparse.Namespace, compiled: Compiled) -> Iterator[str]:
    """A list of the files, and a note if no part was named."""
    folder = options.out.resolve() if options.out == Path() else options.out
    yield f"  written to {folder}: {', '.join(compiled.outputs)}"
    if isinstance(options.target, Unchosen):
        yield "  no --target was given: this is portable C for this computer (host)"


def _write_notes(options: argparse.Namespace, target: Target) -> None:
    chain = [folder / FILE_NAME for folder in target.folders]
    folder = [options.model.parent] if options.watch_folder else []
    read = [*map(str, [*read_files(options), *chain, *folder]), *compiler_files("cli.py")]
    rule = options.stamp or options.out / f"{chosen_name(options)}.c"
    write_depfile(options.depfile, rule, read)
    write_stamp(options.stamp)
