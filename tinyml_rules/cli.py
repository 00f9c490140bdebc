"""The command line that every front end uses: compile, package, run, test and the rest.

The only module that prints.  Exit status: 0 success, 1 an error in the model or target, 2 in the
usage, 3 a tool is missing or failed, 4 a bug in this package.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Sequence

from tinyml_rules.commands.console import Console
from tinyml_rules.commands.table import command_parser, module_of
from tinyml_rules.errors import DoesNotFitError, TinymlError
from tinyml_rules.reporting.sizes import arrow
from tinyml_rules.request.wording import INTERNAL_ERROR_STATUS, full_disk, internal_error, worded
from tinyml_rules.system.computer import SIGINT, SIGPIPE
from tinyml_rules.system.terminal import ANEW, coloured, has_colours, is_terminal

ENDED_BY_SIGNAL = 128
"""Shells add this to the number of the signal that ended a program."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = argparse.Namespace()
    try:
        options = command_parser().parse_args(arguments)
        try:
            module_of(options.command).run(options, _console())
        except DoesNotFitError as error:
            raise _explained(error, options) from error
    except TinymlError as error:
        _tell(worded(str(error), getattr(options, "spelling", "")))
        return error.exit_status
    except BrokenPipeError:
        raise
    except Exception as error:  # no message of ours: say so, instead of a bare traceback
        full = full_disk(error)
        _tell(str(full) if full else internal_error(error))
        return full.exit_status if full else INTERNAL_ERROR_STATUS
    return 0


def entry() -> None:
    """The installed script.  It ends silently when its output is closed, or on Control-C.  What an
    output's encoding lacks is printed as an escape: a name in a model may be any text."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            status: str | int | None = main()
        except SystemExit as end:  # argparse's
            status = end.code
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more
        status = ENDED_BY_SIGNAL + SIGPIPE
    except KeyboardInterrupt:
        status = ENDED_BY_SIGNAL + SIGINT
    sys.exit(status)


def _explained(error: DoesNotFitError, options: argparse.Namespace) -> DoesNotFitError:
    """The error with what would fit, which is also printed where JSON is asked for."""
    from tinyml_rules.commands.compiled import requested  # noqa: PLC0415 - slow, and seldom needed
    from tinyml_rules.fitting.ways import misfit_data, with_ways  # noqa: PLC0415 - the same
    from tinyml_rules.request.command_line import chosen_target  # noqa: PLC0415 - the same

    found = error
    if not error.is_explained:
        found = with_ways(error, requested(options, chosen_target(options)))
    if getattr(options, "json", False):
        print(json.dumps(misfit_data(found), indent=2))
    return found


def _console() -> Console:
    return Console(_show, _tell, _print, arrow(sys.stdout))


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


if __name__ == "__main__":
    entry()
