"""The command line that every front end stands on: compile, package, run, test and the rest.

The only module that prints.  Exit status: 0 done, 1 the model's or target's fault, 2 wrong usage,
3 a tool is missing or failed, 4 a mistake of our own.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tinyml_rules import __version__
from tinyml_rules.commands.accuracy import accuracy_text, add_accuracy
from tinyml_rules.commands.compare import add_compare, compare_text
from tinyml_rules.commands.inspect import add_inspect, inspect_text
from tinyml_rules.commands.lists import add_ops, add_targets, ops_text, targets_text
from tinyml_rules.commands.measure import add_measure, measured_line
from tinyml_rules.commands.notes import add_depfile, add_stamp, write_depfile, write_stamp
from tinyml_rules.commands.quantize import add_quantize, quantize_text
from tinyml_rules.commands.report import add_report, report_text
from tinyml_rules.commands.run import add_run, run_text
from tinyml_rules.commands.size import add_size, size_text
from tinyml_rules.commands.tune import add_tune, tune_text
from tinyml_rules.commands.where import add_where, folder_of
from tinyml_rules.compile import Compiled, compile_model
from tinyml_rules.errors import DoesNotFitError, TinymlError
from tinyml_rules.fit.ways import explained, misfit_data
from tinyml_rules.package.command import add_package_options, package_order, write_package
from tinyml_rules.report import tables
from tinyml_rules.report.sizes import arrow
from tinyml_rules.request.command_line import (
    add_compile_options,
    add_model,
    add_targets_folder,
    chosen_name,
    chosen_target,
    model_bytes,
    read_files,
    request_of,
)
from tinyml_rules.request.outputs import output_names
from tinyml_rules.request.request import Request
from tinyml_rules.request.wording import INTERNAL_ERROR_STATUS, internal_error, worded
from tinyml_rules.runners.arrays import check_outputs, read_vectors, unpack_samples
from tinyml_rules.runners.figures import equal_summary
from tinyml_rules.runners.model import run_on_arrays
from tinyml_rules.system.files import write_files
from tinyml_rules.system.ours import check_ours
from tinyml_rules.system.sources import compiler_files
from tinyml_rules.target.file import FILE_NAME
from tinyml_rules.target.target import Target

ENDED_BY_SIGNAL = 128
"""What shells add to the number of the signal that ended a program."""


_Command = tuple[
    str,
    str,
    tuple[Callable[[argparse.ArgumentParser], None], ...],
    Callable[[argparse.Namespace], None],
]
"""Its name, what it does, what adds its arguments, and what runs it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = command_parser().parse_args(arguments)
    front_end = getattr(options, "spelling", "")
    try:
        with explained(lambda: _request(options, chosen_target(options))):
            options.command(options)
    except TinymlError as error:
        if isinstance(error, DoesNotFitError) and getattr(options, "json", False):
            print(json.dumps(misfit_data(error), indent=2))
        print(worded(str(error), front_end), file=sys.stderr)
        return error.exit_status
    except BrokenPipeError:
        raise
    except Exception as error:  # no message of ours: say so, instead of a bare traceback
        print(internal_error(error), file=sys.stderr)
        return INTERNAL_ERROR_STATUS
    return 0


def entry() -> None:
    """The installed script.  It ends without a word when nobody reads on, or on Control-C."""
    try:
        try:
            status: str | int | None = main()
        except SystemExit as end:  # argparse's
            status = end.code
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more
        status = ENDED_BY_SIGNAL + signal.SIGPIPE
    except KeyboardInterrupt:
        status = ENDED_BY_SIGNAL + signal.SIGINT
    sys.exit(status)


def command_parser() -> argparse.ArgumentParser:
    """Every command with its arguments."""
    parser = argparse.ArgumentParser(
        prog="tinyml_rules", description="Compile .tflite models into static C."
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, what, add_arguments, command in _COMMANDS:
        of_command = commands.add_parser(name, help=what)
        for add in add_arguments:
            add(of_command)
        of_command.set_defaults(command=command)
    return parser


def _printing(text: Callable[[argparse.Namespace], object]) -> Callable[[argparse.Namespace], None]:
    """The command that prints what `text` makes of the options."""
    return lambda options: print(text(options))


def _add_model(parser: argparse.ArgumentParser) -> None:
    """A model, a target, and the options of a compilation."""
    add_model(parser)
    parser.add_argument("--target", default="host", help="see `targets` (default: host)")
    add_targets_folder(parser)
    add_compile_options(parser)


def _add_vectors(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--vectors", type=Path, required=True, help=".npz of inputs and outputs by tensor name"
    )


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=Path(), help="folder (default: here)")
    add_depfile(parser, "NAME.c")
    add_stamp(parser)
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print the report")
    shown.add_argument("--line", action="store_true", help="print one line of figures, for a build")
    shown.add_argument("--quiet", action="store_true", help="print errors and warnings alone")


def _request(options: argparse.Namespace, target: Target) -> Request:
    return request_of(options, model_bytes(options), chosen_name(options), target)


def _compiled(options: argparse.Namespace, target: Target) -> Compiled:
    compiled = compile_model(_request(options, target))
    for warning in compiled.warnings:
        print(worded(warning, getattr(options, "spelling", "")), file=sys.stderr)
    return compiled


def _compile(options: argparse.Namespace) -> None:
    target = chosen_target(options)
    compiled = _compiled(options, target)
    hint = "write elsewhere with --out FOLDER, or under another name with --name NAME"
    check_ours(compiled.outputs, options.out, hint=hint)
    write_files(compiled.outputs, options.out)
    _write_notes(options, target)
    if options.json:
        print(json.dumps(compiled.report, indent=2))
    elif options.line:
        print(tables.model_line(str(options.model), compiled.report, arrow=arrow(sys.stdout)))
    elif not options.quiet:
        print(worded(tables.model_summary(compiled.report), options.spelling))


def _write_notes(options: argparse.Namespace, target: Target) -> None:
    """What build systems ask for."""
    chain = [folder / FILE_NAME for folder in target.folders]
    read = [*map(str, [*read_files(options), *chain]), *compiler_files("cli.py")]
    rule = options.stamp or options.out / f"{chosen_name(options)}.c"
    write_depfile(options.depfile, rule, read)
    write_stamp(options.stamp)


def _package(options: argparse.Namespace) -> None:
    target = chosen_target(options)
    order = package_order(options, chosen_name(options), target)
    print(write_package(order, _compiled(options, target)))


def _tune(options: argparse.Namespace) -> None:
    print(tune_text(options, _request(options, chosen_target(options)), _show))


def _show(line: str) -> None:
    """What is done now, in the place of the line before, on a terminal alone."""
    if sys.stderr.isatty():
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)


def _quantize(options: argparse.Namespace) -> None:
    text = quantize_text(options, _show, lambda line: print(line, file=sys.stderr))
    if text:
        print(text)


def _run(options: argparse.Namespace) -> None:
    target = chosen_target(options)

    def marked() -> Compiled:
        return compile_model(replace(_request(options, target), marked=True))

    print(run_text(options, _compiled(options, target), target, marked))


def _test(options: argparse.Namespace) -> None:
    target = chosen_target(options)
    compiled = _compiled(options, target)
    interface = compiled.interface
    vectors = read_vectors(options.vectors, interface)
    outcome = run_on_arrays(compiled, target, vectors, where=str(options.vectors))
    outputs = unpack_samples(interface, outcome.output)
    check_outputs(interface, outputs, vectors, where=f"{interface.name} on {target.name}")
    count = len(next(iter(outputs.values())))
    print(equal_summary(interface.name, target, samples=count, figures=outcome.report))


_COMMANDS: tuple[_Command, ...] = (
    ("compile", f"write {output_names()}", (_add_model, _add_outputs), _compile),
    (
        "package",
        "write a ready library for another ecosystem",
        (add_package_options, _add_model),
        _package,
    ),
    (
        "run",
        "build, run on the target's runner, show or keep the output",
        (_add_model, add_run),
        _run,
    ),
    (
        "test",
        "run, and compare every byte with what is expected",
        (_add_model, _add_vectors),
        _test,
    ),
    (
        "accuracy",
        "how often a model is right on labelled vectors, and an error where that is too little",
        (add_accuracy,),
        _printing(accuracy_text),
    ),
    (
        "tune",
        "measure the kernels of each layer, and keep the fastest",
        (_add_model, add_tune),
        _tune,
    ),
    ("quantize", "make a float model a full-integer one", (add_quantize,), _quantize),
    (
        "compare",
        "show which tensors of an integer model are off from a float one's",
        (add_compare,),
        _printing(compare_text),
    ),
    (
        "size",
        "show flash, RAM and stack on several targets, as a table",
        (add_size,),
        _printing(lambda options: worded(size_text(options))),
    ),
    ("report", "write figures and pictures as a page", (add_report,), _printing(report_text)),
    (
        "measure",
        "show flash and RAM of a firmware that a build linked",
        (add_measure,),
        _printing(measured_line),
    ),
    (
        "inspect",
        "show what a model is, and whether it is supported",
        (add_inspect,),
        _printing(inspect_text),
    ),
    ("ops", "list the operators that can be compiled", (add_ops,), _printing(ops_text)),
    ("targets", "list the targets", (add_targets,), _printing(targets_text)),
    ("where", "print the folder of a build system's files", (add_where,), _printing(folder_of)),
)
"""In the order of the help."""


if __name__ == "__main__":
    entry()
