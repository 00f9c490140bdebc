"""The command line that every front end stands on: compile, package, run, inspect, ops, targets.

The only module that prints.  Exit status: 0 done, 1 the model's or target's fault, 2 wrong usage,
3 a tool is missing or failed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tinyml_rules import __version__, tables
from tinyml_rules.arrays import (
    is_single_sample,
    pack_samples,
    read_arrays,
    unpack_samples,
    write_arrays,
)
from tinyml_rules.compile import Compiled, compile_model
from tinyml_rules.errors import TinymlError, UsageError
from tinyml_rules.files import read_file, write_files
from tinyml_rules.identifier import identifier
from tinyml_rules.ir.text import graph_data, graph_text
from tinyml_rules.options import add_compile_options, request_of
from tinyml_rules.package.command import package_order, package_parser, write_package
from tinyml_rules.reader import read_model
from tinyml_rules.run import run_model
from tinyml_rules.target import Target, default_search, load_target


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        options.command(options)
    except TinymlError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    return 0


def entry() -> None:
    """The installed script."""
    sys.exit(main())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tinyml_rules", description="Compile .tflite models into static C."
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    compile_ = commands.add_parser(
        "compile", help="write NAME.c, NAME.h, NAME.report.json and NAME.memory.svg"
    )
    _add_model(compile_)
    _add_target(compile_)
    compile_.add_argument("--out", type=Path, default=Path(), help="folder (default: here)")
    compile_.add_argument("--json", action="store_true", help="print the report")
    compile_.set_defaults(command=_compile)

    run = commands.add_parser("run", help="build, run on the target's runner, keep the output")
    _add_model(run)
    _add_target(run)
    run.add_argument("--input", type=Path, required=True, help=".npy, or .npz by tensor name")
    run.add_argument("--output", type=Path, help=".npy or .npz to write")
    run.add_argument("--build-dir", type=Path, help="keep what is built in this folder")
    run.add_argument("--json", action="store_true", help="print the report")
    run.set_defaults(command=_run)

    _add_package(package_parser(commands))
    inspect = commands.add_parser("inspect", help="the model's graph as text")
    _add_model(inspect)
    inspect.add_argument("--json", action="store_true")
    inspect.set_defaults(command=_inspect)

    for name, table in (("ops", "operators"), ("targets", "targets")):
        listing = commands.add_parser(name, help=f"the {table} that there are")
        listing.add_argument("--json", action="store_true")
        listing.add_argument("--markdown", action="store_true")
        if name == "targets":
            _add_targets_folder(listing)
        listing.set_defaults(command=_list, table=name)
    return parser


def _add_package(parser: argparse.ArgumentParser) -> None:
    _add_model(parser)
    _add_target(parser)
    parser.set_defaults(command=_package)


def _add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="MODEL.tflite")
    parser.add_argument("--name", help="prefix of every C symbol (default: from the file's name)")


def _add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--target", default="host", help="see `targets` (default: host)")
    _add_targets_folder(parser)
    add_compile_options(parser)


def _add_targets_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--targets",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="a folder of further targets",
    )


def _name(options: argparse.Namespace) -> str:
    return str(options.name or identifier(options.model.stem))


def _target(options: argparse.Namespace) -> Target:
    return load_target(options.target, search=(*options.targets, *default_search()))


def _compiled(options: argparse.Namespace, target: Target) -> Compiled:
    return compile_model(request_of(options, read_file(options.model), _name(options), target))


def _compile(options: argparse.Namespace) -> None:
    compiled = _compiled(options, _target(options))
    write_files(compiled.outputs, options.out)
    if options.json:
        print(json.dumps(compiled.report, indent=2))
    else:
        print(tables.model_summary(compiled.report))


def _package(options: argparse.Namespace) -> None:
    target = _target(options)
    order = package_order(options, _name(options), target)
    print(write_package(order, _compiled(options, target)))


def _run(options: argparse.Namespace) -> None:
    target = _target(options)
    compiled = _compiled(options, target)
    where = str(options.input)
    inputs = read_arrays(options.input, compiled.interface)
    samples = pack_samples(compiled.interface, inputs, where=where)
    if not samples:
        raise UsageError.at(where, "no samples")
    with tempfile.TemporaryDirectory() as temporary:
        outcome = run_model(compiled, target, samples, folder=options.build_dir or Path(temporary))
    outputs = unpack_samples(
        compiled.interface,
        outcome.output,
        is_single=is_single_sample(compiled.interface, inputs),
    )
    if options.output:
        write_arrays(options.output, outputs)
    if options.json:
        print(json.dumps(outcome.report, indent=2))
    else:
        print(tables.run_summary(outcome.report))


def _inspect(options: argparse.Namespace) -> None:
    graph = read_model(read_file(options.model), name=_name(options))
    print(json.dumps(graph_data(graph), indent=2) if options.json else graph_text(graph))


def _list(options: argparse.Namespace) -> None:
    if options.table == "ops":
        rows = tables.operator_rows()
    else:
        rows = tables.target_rows((*options.targets, *default_search()))
    if options.json:
        print(json.dumps(rows, indent=2))
    else:
        print(tables.markdown(rows) if options.markdown else tables.plain(rows))


if __name__ == "__main__":
    entry()
