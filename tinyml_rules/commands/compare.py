"""`compare`: which tensors of a model are others than they should be.

Two models: those of an integer model that are off from the float model's.  One model and a target:
those that the firmware has in its memory and that differ from the reference's.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

from tinyml_rules.commands.compiled import requested
from tinyml_rules.commands.console import Console
from tinyml_rules.compare.reference import CHOICES, chosen_reference
from tinyml_rules.compare.tensors import Comparison, compare_tensors
from tinyml_rules.compare.text import comparison_data, comparison_error, comparison_lines
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.c_names import identifier
from tinyml_rules.ir.graph import Graph
from tinyml_rules.model_file.reader import read_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.passes.check import check
from tinyml_rules.passes.fold_constants import fold_constants
from tinyml_rules.passes.remove_dead_nodes import remove_dead_nodes
from tinyml_rules.quantizer import calibrate
from tinyml_rules.quantizer.core import float_core
from tinyml_rules.quantizer.differences import matched
from tinyml_rules.quantizer.report import MOST_SAMPLES, describe, report_text
from tinyml_rules.quantizer.samples import load_arrays, samples_of
from tinyml_rules.request.command_line import (
    add_compile_options,
    add_targets_folder,
    chosen_target,
)
from tinyml_rules.request.graph import graph_of
from tinyml_rules.request.model_path import read_model_file
from tinyml_rules.runners.arrays import read_arrays
from tinyml_rules.runners.pattern import pattern_inputs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Both models and samples; or one model, a target, and the options of a compilation."""
    parser.usage = (
        "tinyml_rules compare MODEL.tflite --target TARGET [--input FILE] [options]\n"
        "       tinyml_rules compare FLOAT.tflite INT8.tflite --inputs FILE [--json]"
    )
    parser.add_argument(
        "model", type=Path, metavar="MODEL.tflite", help="the model; of two models, the float32 one"
    )
    parser.add_argument(
        "other", type=Path, nargs="?", metavar="INT8.tflite", help="the integer model made from it"
    )
    parser.add_argument(
        "--inputs",
        type=Path,
        metavar="FILE",
        help="of two models: samples, as .npy, or .npz by the float model's tensor names",
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--name", help="prefix of every C symbol (default: from the file's name)")
    parser.add_argument(
        "--target",
        help="of one model: the target, part or board that it runs on; host is this computer",
    )
    add_targets_folder(parser)
    parser.add_argument(
        "--input",
        type=Path,
        metavar="FILE",
        help="of one model: samples as `run` takes them (default: a pseudo-random sample)",
    )
    parser.add_argument(
        "--reference",
        choices=tuple(CHOICES),
        help="the reference: TFLM, which needs the Python package tflite-micro, or our definitions "
        "of the operators in numpy (default: tflm where it is installed)",
    )
    parser.add_argument("--all", action="store_true", help="of one model: show every tensor")
    add_compile_options(parser)


def run(options: argparse.Namespace, console: Console) -> None:
    """Print what is found; raises UsageError for what belongs to no form, and WrongOutputError with
    the first difference."""
    _check_form(options)
    if options.other is not None:
        console.result(_of_two_models(options))
        return
    comparison = _on_target(options)
    if options.json:
        console.result(json.dumps(comparison_data(comparison), indent=2))
    else:
        lines = list(comparison_lines(comparison, shows_all=options.all))
        if lines:
            console.result("\n".join(lines))
    error = comparison_error(comparison)
    if error is not None:
        raise error


def _check_form(options: argparse.Namespace) -> None:
    if options.other is None and options.target is None:
        what = "one model and no target, expected --target, or a second model and --inputs"
        raise UsageError.at(str(options.model), what)
    if options.other is None:
        if options.inputs:
            what = "--inputs is for two models, expected --input"
            raise UsageError.at(str(options.model), what)
        return
    if options.target is not None or options.input or options.reference or options.all:
        what = "two models with options for one (--target, --input, --reference, --all), expected"
        raise UsageError.at(str(options.other), f"{what} two models and --inputs")
    if options.inputs is None:
        raise UsageError.at(str(options.other), "no samples, expected --inputs FILE")


def _on_target(options: argparse.Namespace) -> Comparison:
    """Compare the tensors of a firmware with those of the reference."""
    target = chosen_target(options)
    request = requested(options, target)
    graph = graph_of(request)
    reference = chosen_reference(options.reference, graph)
    watched = compile_model(replace(request, watched=True))
    if options.input is None:
        inputs = pattern_inputs(watched.interface)
    else:
        inputs = read_arrays(options.input, watched.interface)
    return compare_tensors(
        watched,
        target,
        inputs,
        model=request.model,
        file_graph=graph,
        operators=request.operators,
        reference=reference,
        where=str(options.input or "compare"),
    )


def _of_two_models(options: argparse.Namespace) -> str:
    """The tensors that both have, those that lose most first."""
    operators = builtin_operators()
    name = identifier(options.model.stem)
    real_graph = read_model(read_model_file(options.model), name=name, operators=operators)
    core = float_core(real_graph, operators)
    real_graph = core.graph
    graph = _integer_graph(options.other)
    if not matched(real_graph, graph):
        what = f"no integer tensor of a name and shape that {options.model} has, expected some"
        raise UsageError.at(str(options.other), what)
    arrays = load_arrays(options.inputs)
    given = samples_of(real_graph, arrays, None, core.raw).calibration.samples[:MOST_SAMPLES]
    samples = [
        calibrate.run(real_graph, operators, sample, place) for place, sample in enumerate(given)
    ]
    report = describe((real_graph, graph), operators, samples, identifier(options.other.stem))
    return json.dumps(report, indent=2) if options.json else report_text(report)


def _integer_graph(path: Path) -> Graph:
    """The integer model, whose nodes are right; raises UnsupportedError."""
    operators = builtin_operators()
    data, name = read_model_file(path), identifier(path.stem)
    graph = read_model(data, name=name, operators=operators)
    graph = remove_dead_nodes(fold_constants(graph, operators), operators)
    return check(graph, operators, needs_kernels=False)
