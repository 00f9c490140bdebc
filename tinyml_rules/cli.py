"""The command line that every front end stands on: compile, package, run, test and the rest.

The only module that prints.  Exit status: 0 done, 1 the model's or target's fault, 2 wrong usage,
3 a tool is missing or failed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tinyml_rules import __version__, tables
from tinyml_rules.arrays import (
    check_outputs,
    is_single_sample,
    read_arrays,
    read_vectors,
    unpack_samples,
    write_arrays,
)
from tinyml_rules.compile import Compiled, compile_model
from tinyml_rules.depfile import depfile_text
from tinyml_rules.errors import TinymlError
from tinyml_rules.figures import equal_summary
from tinyml_rules.files import read_file, write_anew, write_files
from tinyml_rules.identifier import identifier
from tinyml_rules.ir.text import graph_data, graph_text
from tinyml_rules.options import add_compile_options, request_of
from tinyml_rules.package.command import add_package_options, package_order, write_package
from tinyml_rules.reader import read_model
from tinyml_rules.run import run_on_arrays
from tinyml_rules.sources import compiler_files
from tinyml_rules.target import Target, default_search, load_target
from tinyml_rules.target_file import FILE_NAME

FRONT_ENDS = Path(__file__).resolve().parent / "frontends"


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
    for name, what, add_arguments in (
        ("compile", "write NAME.c, NAME.h, NAME.report.json and NAME.memory.svg", _add_compile),
        ("package", "write a ready library for another ecosystem", _add_package),
        ("run", "build, run on the target's runner, keep the output", _add_run),
        ("test", "run, and compare every byte with what is expected", _add_test),
        ("inspect", "the model's graph as text", _add_inspect),
        ("ops", "the operators that there are", _add_ops),
        ("targets", "the targets that there are", _add_targets),
        ("where", "the folder of a build system's files", _add_where),
    ):
        add_arguments(commands.add_parser(name, help=what))
    return parser


def _add_compile(parser: argparse.ArgumentParser) -> None:
    _add_model(parser)
    _add_target(parser)
    _add_outputs(parser)
    parser.set_defaults(command=_compile)


def _add_run(parser: argparse.ArgumentParser) -> None:
    _add_model(parser)
    _add_target(parser)
    parser.add_argument("--input", type=Path, required=True, help=".npy, or .npz by tensor name")
    parser.add_argument("--output", type=Path, help=".npy or .npz to write")
    parser.add_argument("--build-dir", type=Path, help="keep what is built in this folder")
    parser.add_argument("--json", action="store_true", help="print the report")
    parser.set_defaults(command=_run)


def _add_test(parser: argparse.ArgumentParser) -> None:
    _add_model(parser)
    _add_target(parser)
    parser.add_argument(
        "--vectors", type=Path, required=True, help=".npz of inputs and outputs by tensor name"
    )
    parser.set_defaults(command=_test)


def _add_package(parser: argparse.ArgumentParser) -> None:
    add_package_options(parser)
    _add_model(parser)
    _add_target(parser)
    parser.set_defaults(command=_package)


def _add_inspect(parser: argparse.ArgumentParser) -> None:
    _add_model(parser)
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(command=_inspect)


def _add_ops(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    parser.set_defaults(command=_list, table="ops")


def _add_targets(parser: argparse.ArgumentParser) -> None:
    _add_ops(parser)
    _add_targets_folder(parser)
    parser.set_defaults(table="targets")


def _add_where(parser: argparse.ArgumentParser) -> None:
    front_ends = sorted(each.name for each in FRONT_ENDS.iterdir() if not each.name.startswith("_"))
    parser.add_argument("front_end", choices=front_ends, metavar="|".join(front_ends))
    parser.set_defaults(command=_where)


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=Path(), help="folder (default: here)")
    parser.add_argument(
        "--depfile", type=Path, metavar="FILE", help="write what NAME.c depends on, as a Make rule"
    )
    parser.add_argument(
        "--stamp",
        type=Path,
        metavar="FILE",
        help="an empty file, new each time, where unchanged outputs keep their dates; then the "
        "target of the depfile's rule",
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print the report")
    shown.add_argument("--quiet", action="store_true", help="print errors and warnings alone")


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
    compiled = compile_model(request_of(options, read_file(options.model), _name(options), target))
    for warning in compiled.warnings:
        print(warning, file=sys.stderr)
    return compiled


def _compile(options: argparse.Namespace) -> None:
    target = _target(options)
    compiled = _compiled(options, target)
    write_files(compiled.outputs, options.out)
    _write_notes(options, target)
    if options.json:
        print(json.dumps(compiled.report, indent=2))
    elif not options.quiet:
        print(tables.model_summary(compiled.report))


def _write_notes(options: argparse.Namespace, target: Target) -> None:
    """What build systems ask for, the stamp last: it says that all the rest is there."""
    if options.depfile:
        names = [options.model, *compiler_files("cli.py")]
        names += [folder / FILE_NAME for folder in target.folders]
        rule = options.stamp or options.out / f"{_name(options)}.c"
        write_anew(options.depfile, depfile_text(str(rule), [str(name) for name in names]))
    if options.stamp:
        write_anew(options.stamp, "")


def _package(options: argparse.Namespace) -> None:
    target = _target(options)
    order = package_order(options, _name(options), target)
    print(write_package(order, _compiled(options, target)))


def _run(options: argparse.Namespace) -> None:
    target = _target(options)
    compiled = _compiled(options, target)
    inputs = read_arrays(options.input, compiled.interface)
    outcome = run_on_arrays(
        compiled, target, inputs, where=str(options.input), folder=options.build_dir
    )
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


def _test(options: argparse.Namespace) -> None:
    target = _target(options)
    compiled = _compiled(options, target)
    interface = compiled.interface
    vectors = read_vectors(options.vectors, interface)
    outcome = run_on_arrays(compiled, target, vectors, where=str(options.vectors))
    outputs = unpack_samples(interface, outcome.output)
    check_outputs(interface, outputs, vectors, where=f"{interface.name} on {target.name}")
    count = len(next(iter(outputs.values())))
    print(equal_summary(interface.name, target, samples=count, figures=outcome.report))


def _where(options: argparse.Namespace) -> None:
    print(FRONT_ENDS / options.front_end)


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
