"""`replay`: a device's own inputs through the reference, and through the emulator of its part."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

from tinyml_rules.commands.compiled import requested
from tinyml_rules.commands.console import Console
from tinyml_rules.compare.log import read_log
from tinyml_rules.compare.reference import CHOICES, chosen_reference
from tinyml_rules.compare.replay import Replay, replayed
from tinyml_rules.compare.tensors import compare_tensors
from tinyml_rules.compare.text import comparison_error, comparison_lines
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import WrongOutputError
from tinyml_rules.ir.graph import Graph
from tinyml_rules.request.command_line import (
    add_compile_options,
    add_model,
    add_targets_folder,
    chosen_target,
)
from tinyml_rules.request.graph import graph_of
from tinyml_rules.request.request import Request
from tinyml_rules.runners.arrays import write_arrays
from tinyml_rules.system.files import read_file

_HOST = "host"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A model, a log, and the options that the device's firmware was compiled with."""
    add_model(parser)
    parser.add_argument(
        "log", type=Path, metavar="LOG", help="the log with what the device printed"
    )
    parser.add_argument(
        "--target",
        default=_HOST,
        help="also run the inputs on the emulator of this target, part or board",
    )
    parser.add_argument(
        "--reference",
        choices=tuple(CHOICES),
        help="the reference, as in `compare` (default: tflm where it is installed)",
    )
    parser.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="write the inputs as .npy or .npz, for `run --input`",
    )
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")
    add_targets_folder(parser)
    add_compile_options(parser)


def run(options: argparse.Namespace, console: Console) -> None:
    """Print what is found; raises UsageError for the log, WrongOutputError with the first output
    that is another one."""
    request = requested(options, chosen_target(options))
    graph = graph_of(request)
    reference = chosen_reference(options.reference, graph)
    interface = compile_model(request).interface
    recording = read_log(
        read_file(options.log), interface, sha256=graph.sha256, where=str(options.log)
    )
    found = replayed(
        recording,
        interface,
        model=request.model,
        file_graph=graph,
        operators=request.operators,
        reference=reference,
    )
    if options.save:
        write_arrays(options.save, found.inputs)
    emulated = _emulated(request, found, graph, reference) if options.target != _HOST else []
    if options.json:
        data = {
            "inferences": len(recording.inputs),
            "left_out": recording.left_out,
            "compared": found.compared,
            "reference": reference,
            "difference": found.difference or None,
            "emulator": emulated or None,
        }
        console.result(json.dumps(data, indent=2))
    else:
        summary = _summary(request.name, recording.left_out, found, reference)
        console.result("\n".join([summary, *emulated]))
    if found.difference:
        raise WrongOutputError.at(
            str(options.log), f"{found.difference} as {CHOICES[reference]} has it"
        )


def _summary(name: str, left_out: int, found: Replay, reference: str) -> str:
    count = len(next(iter(found.inputs.values())))
    lines = [f"{name}: {count} inferences of the device, {found.compared} with outputs"]
    if left_out:
        lines.append(f"  {left_out} at the ends of the log not whole, left out")
    if found.compared and not found.difference:
        lines.append(
            f"  all outputs equal to {CHOICES[reference]}'s for these inputs: a difference from "
            "what you expect lies before the model's input"
        )
    return "\n".join(lines)


def _emulated(request: Request, found: Replay, graph: Graph, reference: str) -> list[str]:
    """Every tensor on the emulator, for the device's inputs."""
    comparison = compare_tensors(
        compile_model(replace(request, watched=True)),
        request.target,
        found.inputs,
        model=request.model,
        file_graph=graph,
        operators=request.operators,
        reference=reference,
        where="the inputs of the log",
    )
    error = comparison_error(comparison)
    lines = list(comparison_lines(comparison, shows_all=False))
    return [*lines, *([str(error)] if error else [])]
