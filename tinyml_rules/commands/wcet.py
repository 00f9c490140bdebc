"""`wcet`: what an inference takes at most for all inputs."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tinyml_rules.commands.compiled import compiled_model, requested
from tinyml_rules.commands.console import Console
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.interface import Interface
from tinyml_rules.reporting.budgets import budgets_of
from tinyml_rules.reporting.record import to_json
from tinyml_rules.request.command_line import add_compilation, add_options, chosen_target, values_of
from tinyml_rules.request.option import Kind, Option
from tinyml_rules.runners.arrays import pack_samples, read_arrays
from tinyml_rules.worst_case.budget import check_worst_case
from tinyml_rules.worst_case.figures import WorstCase, described
from tinyml_rules.worst_case.firmware import bound_of_firmware
from tinyml_rules.worst_case.inference import random_samples, worst_case_of
from tinyml_rules.worst_case.targets import check_bounded
from tinyml_rules.worst_case.text import worst_case_lines

_OPTIONS = {
    "measure": Option(
        "measure",
        Kind.NUMBER,
        "run so many generated samples too, and show the most cycles that one of them took",
        least=1,
        metavar="N",
        unit="samples",
    )
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a compilation, and its own."""
    add_compilation(parser)
    add_options(parser, _OPTIONS)
    parser.add_argument(
        "--input",
        type=Path,
        metavar="FILE",
        help="run these samples too: .npy, or .npz by tensor name",
    )
    parser.add_argument(
        "--elf",
        type=Path,
        metavar="FIRMWARE.elf",
        help="bound the model's calls in this firmware, which you linked, instead of a test image",
    )
    parser.add_argument("--json", action="store_true", help="print the bound as JSON")


def run(options: argparse.Namespace, console: Console) -> None:
    """Print the bound.  Raises UnsupportedError where there is none, with the function and the
    address that are the cause, and OverBudgetError."""
    target = chosen_target(options)
    check_bounded(target)
    compiled = compiled_model(options, target, console)
    interface = compiled.interface
    if options.elf is None:
        console.show(f"{interface.name}: building for {target.name}, and looking at all inputs")
        samples = _samples(options, interface)
        found = worst_case_of(requested(options, target), samples=samples)
    else:
        if options.input or options.measure:
            what = "--elf shows the bound of a firmware, which is not run"
            raise UsageError.at("wcet", what, hint="leave --input and --measure out")
        console.show(f"{interface.name}: looking at all inputs")
        arena_bytes = compiled.report.arena_bytes
        program, bound = bound_of_firmware(target, interface, options.elf, arena_bytes=arena_bytes)
        found = described(interface, program, bound, accounts=compiled.accounts, has_accounts=False)
    _print(found, options, console)
    check_worst_case(found, budgets_of(compiled.report))


def _samples(options: argparse.Namespace, interface: Interface) -> bytes:
    """Raw inputs to run: those of the file, then generated ones."""
    count = values_of(options, _OPTIONS).get("measure")
    generated = random_samples(interface, count) if count else b""
    if options.input is None:
        return generated
    where = str(options.input)
    given = pack_samples(interface, read_arrays(options.input, interface), where=where)
    return given + generated


def _print(found: WorstCase, options: argparse.Namespace, console: Console) -> None:
    if options.json:
        console.result(json.dumps(to_json(found), indent=2))
    else:
        console.result("\n".join(worst_case_lines(found)))
