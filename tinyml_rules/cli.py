"""The command line that every front end uses: compile, package, run, test and the rest.

The only module that prints.  Exit status: 0 success, 1 an error in the model or target, 2 in the
usage, 3 a tool is missing or failed, 4 a bug in this package.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tinyml_rules.commands.accuracy import accuracy_text
from tinyml_rules.commands.compare import compare
from tinyml_rules.commands.compile import compile_text
from tinyml_rules.commands.completion import completion_text
from tinyml_rules.commands.diff import diff_text
from tinyml_rules.commands.fit import fit_text
from tinyml_rules.commands.image import image_text
from tinyml_rules.commands.inspect import inspect_text
from tinyml_rules.commands.lists import ops_text, targets_text
from tinyml_rules.commands.measure import measured_line
from tinyml_rules.commands.quantize import quantize_text
from tinyml_rules.commands.replay import replay
from tinyml_rules.commands.report import report_text
from tinyml_rules.commands.run import run_text
from tinyml_rules.commands.size import size
from tinyml_rules.commands.table import command_parser
from tinyml_rules.commands.test import test_text
from tinyml_rules.commands.tune import tune_text
from tinyml_rules.commands.where import folder_of
from tinyml_rules.compile import Compiled, compile_model
from tinyml_rules.errors import DoesNotFitError, OverBudgetError, TinymlError
from tinyml_rules.fit.ways import explained, misfit_data
from tinyml_rules.package.command import package_order, write_package
from tinyml_rules.report.sizes import arrow
from tinyml_rules.request.command_line import (
    chosen_name,
    chosen_target,
    model_bytes,
    request_of,
)
from tinyml_rules.request.request import Request
from tinyml_rules.request.wording import INTERNAL_ERROR_STATUS, internal_error, worded
from tinyml_rules.system.terminal import ANEW, coloured, has_colours, is_terminal
from tinyml_rules.target.target import Target

ENDED_BY_SIGNAL = 128
"""Shells add this to the number of the signal that ended a program."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = argparse.Namespace()
    try:
        options = command_parser().parse_args(arguments)
        with explained(lambda: _request(options, chosen_target(options))):
            _RUNS[options.command](options)
    except TinymlError as error:
        if isinstance(error, DoesNotFitError) and getattr(options, "json", False):
            print(json.dumps(misfit_data(error), indent=2))
        _tell(worded(str(error), getattr(options, "spelling", "")))
        return error.exit_status
    except BrokenPipeError:
        raise
    except Exception as error:  # no message of ours: say so, instead of a bare traceback
        _tell(internal_error(error))
        return INTERNAL_ERROR_STATUS
    return 0


def entry() -> None:
    """The installed script.  It ends silently when its output is closed, or on Control-C."""
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


def _printing(text: Callable[[argparse.Namespace], str]) -> Callable[[argparse.Namespace], None]:
    """The command that prints what `text` makes of the options."""
    return lambda options: _print(text(options))


def _request(options: argparse.Namespace, target: Target) -> Request:
    return request_of(options, model_bytes(options), chosen_name(options), target)


def _compiled(options: argparse.Namespace, target: Target) -> Compiled:
    compiled = compile_model(_request(options, target), _show)
    for warning in compiled.warnings:
        _tell(worded(warning, getattr(options, "spelling", "")))
    return compiled


def _marked(options: argparse.Namespace, target: Target) -> Compiled:
    """The model compiled with marks, for a profile."""
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
    """Show progress in place of the line before, on terminals only."""
    if is_terminal(sys.stderr):
        print(f"{ANEW}{line}", end="", file=sys.stderr, flush=True)


def _tell(message: str) -> None:
    """Print an error or a warning, after the line of progress."""
    _show("")
    is_in_colours = has_colours(sys.stderr)
    print(coloured(message) if is_in_colours else message, file=sys.stderr)


def _print(text: str) -> None:
    """Print the result of a command, if any, in place of the line of progress."""
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


_RUNS: Mapping[str, Callable[[argparse.Namespace], None]] = {
    "compile": _compile,
    "package": _package,
    "image": _printing(image_text),
    "where": _printing(lambda options: str(folder_of(options))),
    "inspect": _printing(lambda options: inspect_text(options, _show)),
    "fit": _printing(fit_text),
    "size": lambda options: size(options, _show, lambda text: _print(worded(text))),
    "report": _printing(report_text),
    "diff": _diff,
    "ops": _printing(ops_text),
    "targets": _printing(targets_text),
    "run": _running(run_text),
    "test": _running(test_text),
    "tune": _tune,
    "measure": _printing(measured_line),
    "quantize": _printing(lambda options: quantize_text(options, _show, _tell)),
    "accuracy": _printing(accuracy_text),
    "compare": lambda options: compare(options, print),
    "replay": lambda options: replay(options, print),
    "completion": _printing(completion_text),
}
"""The function of each command of `commands/table.py`."""


if __name__ == "__main__":
    entry()
