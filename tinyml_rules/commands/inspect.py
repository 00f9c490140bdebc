"""`inspect`: what a model is, whether it is supported, and what a target makes of it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tinyml_rules.commands.console import Console
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import Problem, TinymlError
from tinyml_rules.ir.text import counted, counted_nodes
from tinyml_rules.lower.reasons import NodeVerdicts
from tinyml_rules.model_file.reader import read_model
from tinyml_rules.ops import load_operators
from tinyml_rules.overview.data import overview_data
from tinyml_rules.overview.facts import overview
from tinyml_rules.overview.kernels import kernel_data, kernel_lines, kernels_of
from tinyml_rules.overview.text import everything, field, screen
from tinyml_rules.reporting.record import to_json
from tinyml_rules.reporting.report import Report
from tinyml_rules.reporting.trimming import tabulated_lines
from tinyml_rules.request.command_line import (
    add_model,
    add_operators,
    add_targets_folder,
    chosen_name,
    chosen_target,
    given_operators,
    model_bytes,
)
from tinyml_rules.request.options_file import options_beside
from tinyml_rules.request.request import Request
from tinyml_rules.request.wording import worded
from tinyml_rules.system.progress import Show
from tinyml_rules.target.target import HOST, Target


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `inspect`."""
    add_model(parser)
    parser.add_argument(
        "--target", help="also show how the model fits this target, and with which kernels"
    )
    add_targets_folder(parser)
    add_operators(parser)
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--all",
        "--verbose",
        action="store_true",
        help="show every node with its options and tensors",
    )
    shown.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument(
        "--kernels",
        action="store_true",
        help="also show the kernels that there are for each node, and what is against those that "
        "it does not have (of the host, without --target)",
    )


def run(options: argparse.Namespace, console: Console) -> None:
    """Print what is found; raises ModelError for a broken file, but not for an unsupported
    model."""
    console.result(_text(options, console.show))


def _text(options: argparse.Namespace, show: Show) -> str:
    data = model_bytes(options)
    name = chosen_name(options)
    chosen = {**options_beside(options.model), **given_operators(options)}
    operators = load_operators(chosen.get("operators", ()))
    show(f"{name}: reading {len(data):,} bytes")
    graph = read_model(data, name=name, operators=operators)
    target = _target(options)
    features = frozenset() if target is None else target.features
    show(f"{name}: judging {counted_nodes(len(graph.nodes))}")
    found = overview(graph, operators, file_bytes=len(data), features=features)
    # before lines are made of them
    problems, cautions = _in_words(found.problems), _in_words(found.cautions)
    found = replace(found, problems=problems, cautions=cautions)
    outcome: Report | TinymlError | None = None
    kernels: tuple[NodeVerdicts, ...] = ()
    if target is not None and not found.problems:
        request = Request.of(data, name, target, chosen)
        outcome = _outcome(request, show)
        kernels = _kernels(request) if options.kernels else ()
    if options.json:
        told: dict[str, object] = {}
        if target is not None:
            told["target"] = _outcome_data(target, outcome)
        if options.kernels:
            told["kernels"] = kernel_data(kernels)
        return json.dumps({**overview_data(found), **told}, indent=2)
    lines = [] if target is None else _outcome_lines(target, outcome)
    text = (everything if options.all else screen)(found, target_lines=lines)
    return "\n".join((text, "", *kernel_lines(kernels))) if kernels else text


def _target(options: argparse.Namespace) -> Target | None:
    """The one that is asked for; kernels are those of some target in any case."""
    if options.target is None and not options.kernels:
        return None
    return chosen_target(options, options.target or HOST)


def _kernels(request: Request) -> tuple[NodeVerdicts, ...]:
    """Of the nodes; none where no kernels can be chosen, which the target's lines say."""
    try:
        return kernels_of(request)
    except TinymlError:
        return ()


def _in_words(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """The problems with hints in the command line's spelling."""
    return tuple(replace(each, hint=worded(each.hint)) for each in problems)


def _outcome(request: Request, show: Show) -> Report | TinymlError:
    try:
        return compile_model(request, show).report
    except TinymlError as error:
        return error


def _outcome_data(target: Target, outcome: Report | TinymlError | None) -> Mapping[str, Any]:
    problems = outcome.problems if isinstance(outcome, TinymlError) else ()
    return {
        "name": target.name,
        "problems": [{"where": each.where, "what": each.what} for each in problems],
        "report": to_json(outcome) if isinstance(outcome, Report) else None,
    }


def _outcome_lines(target: Target, outcome: Report | TinymlError | None) -> list[str]:
    if outcome is None:
        return list(field("target", f"{target.name}: not before all of it is supported"))
    if isinstance(outcome, TinymlError):
        return list(field("target", worded(str(outcome))))
    memory = target.memory
    ram = _of(outcome.arena_bytes, memory.ram.bytes if memory else None)
    flash = _of(outcome.constant_bytes, memory.flash.bytes if memory else None)
    counts: dict[str, int] = {}
    for node in outcome.nodes:
        counts[node.kernel] = counts.get(node.kernel, 0) + 1
    kernels = ", ".join(counted(kernel, count) for kernel, count in counts.items())
    text = f"{target.name}: arena {ram} RAM, constants {flash} flash; the code comes on top"
    lines = [*field("target", text), *field("kernels", kernels)]
    for line in tabulated_lines(outcome.tabulated):
        lines += field("tables", line)
    return lines


def _of(used: int, available: int | None) -> str:
    return f"{used:,} B of" if available is None else f"{used:,} of {available:,} B"
