"""The command line that every front end stands on: compile, package, run, test and the rest.

The only module that prints.  Exit status: 0 done, 1 the model's or target's fault, 2 what was
asked for is wrong, 3 a tool is missing or failed, 4 a mistake of our own.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

from tinyml_rules import __version__
from tinyml_rules.commands.accuracy import accuracy_text, add_accuracy
from tinyml_rules.commands.compare import add_compare, compare
from tinyml_rules.commands.compile import add_compile, compile_text
from tinyml_rules.commands.completion import add_completion, completion_text
from tinyml_rules.commands.diff import add_diff, diff_text
from tinyml_rules.commands.fit import add_fit, fit_text
from tinyml_rules.commands.image import add_image, image_text
from tinyml_rules.commands.inspect import add_inspect, inspect_text
from tinyml_rules.commands.lists import add_ops, add_targets, ops_text, targets_text
from tinyml_rules.commands.measure import add_measure, measured_line
from tinyml_rules.commands.quantize import add_quantize, quantize_text
from tinyml_rules.commands.replay import add_replay, replay
from tinyml_rules.commands.report import add_report, report_text
from tinyml_rules.commands.run import add_run, run_text
from tinyml_rules.commands.size import add_size, size_text
from tinyml_rules.commands.test import add_test, test_text
from tinyml_rules.commands.tune import add_tune, tune_text
from tinyml_rules.commands.where import add_where, folder_of
from tinyml_rules.compile import Compiled, compile_model
from tinyml_rules.errors import DoesNotFitError, OverBudgetError, TinymlError
from tinyml_rules.fit.ways import explained, misfit_data
from tinyml_rules.package.command import add_package_options, package_order, write_package
from tinyml_rules.report.sizes import arrow
from tinyml_rules.request.command_line import (
    add_compile_options,
    add_model,
    add_targets_folder,
    chosen_name,
    chosen_target,
    model_bytes,
    request_of,
)
from tinyml_rules.request.outputs import output_names
from tinyml_rules.request.request import Request
from tinyml_rules.request.wording import INTERNAL_ERROR_STATUS, internal_error, worded
from tinyml_rules.system.terminal import ANEW, coloured, has_colours, is_terminal
from tinyml_rules.target.target import Target

ENDED_BY_SIGNAL = 128
"""What shells add to the number of the signal that ended a program."""

_Adds = Callable[[argparse.ArgumentParser], None]
_Command = tuple[str, str, tuple[_Adds, ...], Callable[[argparse.Namespace], None]]
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
        _tell(worded(str(error), front_end))
        return error.exit_status
    except BrokenPipeError:
        raise
    except Exception as error:  # no message of ours: say so, instead of a bare traceback
        _tell(internal_error(error))
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


def _printing(text: Callable[[argparse.Namespace], str]) -> Callable[[argparse.Namespace], None]:
    """The command that prints what `text` makes of the options."""
    return lambda options: _print(text(options))


def _add_model(parser: argparse.ArgumentParser) -> None:
    """A model, a target, and the options of a compilation."""
    add_model(parser)
    parser.add_argument("--target", default="host", help="see `targets` (default: host)")
    add_targets_folder(parser)
    add_compile_options(parser)


def _request(options: argparse.Namespace, target: Target) -> Request:
    return request_of(options, model_bytes(options), chosen_name(options), target)


def _compiled(options: argparse.Namespace, target: Target) -> Compiled:
    compiled = compile_model(_request(options, target))
    for warning in compiled.warnings:
        _tell(worded(warning, getattr(options, "spelling", "")))
    return compiled


def _marked(options: argparse.Namespace, target: Target) -> Compiled:
    """The same with marks, for a profile."""
    return compile_model(replace(_request(options, target), marked=True))


def _compile(options: argparse.Namespace) -> None:
    target = chosen_target(options)
    compiled = _compiled(options, target)
    _print(compile_text(options, compiled, target, arrow=arrow(sys.stdout)))


def _package(options: argparse.Namespace) -> None:
    target = chosen_target(options)
    order = package_order(options, chosen_name(options), target)
    print(write_package(order, _compiled(options, target)))


def _tune(options: argparse.Namespace) -> None:
    _print(tune_text(options, _request(options, chosen_target(options)), _show))


def _show(line: str) -> None:
    """What is done now, in the place of the line before, on a terminal alone."""
    if is_terminal(sys.stderr):
        print(f"{ANEW}{line}", end="", file=sys.stderr, flush=True)


def _tell(message: str) -> None:
    """An error or a warning, behind the line that told what was done."""
    _show("")
    is_in_colours = has_colours(sys.stderr)
    print(coloured(message) if is_in_colours else message, file=sys.stderr)


def _print(text: str) -> None:
    """What a command has to say, if anything, in the place of what was done."""
    _show("")
    if text:
        print(text)


def _running(text: Callable[..., str]) -> Callable[[argparse.Namespace], None]:
    """The command that prints what `text` makes of a compiled model that runs."""

    def command(options: argparse.Namespace) -> None:
        target = chosen_target(options)
        compiled = _compiled(options, target)
        _print(text(options, compiled, target, lambda: _marked(options, target), show=_show))

    return command


def _diff(options: argparse.Namespace) -> None:
    text, problems = diff_text(options)
    _print(text)
    if problems:
        raise OverBudgetError(problems)


_COMMANDS: tuple[_Command, ...] = (
    ("compile", f"write {output_names()}", (_add_model, add_compile), _compile),
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
        _running(run_text),
    ),
    (
        "test",
        "run, and compare every byte with what is expected",
        (_add_model, add_test),
        _running(test_text),
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
    (
        "quantize",
        "make a float model a full-integer one",
        (add_quantize,),
        _printing(lambda options: quantize_text(options, _show, _tell)),
    ),
    (
        "compare",
        "show which tensors of a firmware differ from TFLM's, or of an integer model from a float",
        (add_compare,),
        lambda options: compare(options, print),
    ),
    (
        "replay",
        "show whether a device's outputs are what TFLM gives for its inputs",
        (add_replay,),
        lambda options: replay(options, print),
    ),
    (
        "size",
        "show flash, RAM and stack on several targets, as a table",
        (add_size,),
        _printing(lambda options: worded(size_text(options, _show))),
    ),
    (
        "fit",
        "list the parts that have room for a model, without any tool",
        (add_fit,),
        _printing(fit_text),
    ),
    ("image", "write the image that a firmware exchanges", (add_image,), _printing(image_text)),
    ("report", "write figures and pictures as a page", (add_report,), _printing(report_text)),
    (
        "measure",
        "show flash and RAM of a firmware that a build linked",
        (add_measure,),
        _printing(measured_line),
    ),
    (
        "diff",
        "show what changed between two reports, and an error where a budget is broken",
        (add_diff,),
        _diff,
    ),
    (
        "inspect",
        "show what a model is, and whether it is supported",
        (add_inspect,),
        _printing(inspect_text),
    ),
    ("ops", "list the operators that can be compiled", (add_ops,), _printing(ops_text)),
    ("targets", "list the targets", (add_targets,), _printing(targets_text)),
    (
        "completion",
        "print what a shell needs to complete our commands, options and files",
        (add_completion,),
        _printing(lambda options: completion_text(options, command_parser())),
    ),
    (
        "where",
        "print the folder of a build system's files",
        (add_where,),
        _printing(folder_of),
    ),
)
"""In the order of the help."""


if __name__ == "__main__":
    entry()
