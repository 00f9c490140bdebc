"""`compare`: which tensors of an integer model are off from those of the float model it is from."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tinyml_rules.errors import UsageError
from tinyml_rules.ir.c_names import identifier
from tinyml_rules.ir.graph import Graph
from tinyml_rules.model_file.reader import read_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.passes.check import check
from tinyml_rules.passes.fold_constants import fold_constants
from tinyml_rules.passes.remove_dead_nodes import remove_dead_nodes
from tinyml_rules.quantize.calibrate import run
from tinyml_rules.quantize.core import float_core
from tinyml_rules.quantize.differences import matched
from tinyml_rules.quantize.report import MOST_SAMPLES, describe, report_text
from tinyml_rules.quantize.samples import load_arrays, samples_of
from tinyml_rules.request.model_path import existing_model
from tinyml_rules.system.files import read_file


def add_compare(parser: argparse.ArgumentParser) -> None:
    """Both models, and samples."""
    parser.add_argument("float_model", type=Path, metavar="FLOAT.tflite", help="the float32 model")
    parser.add_argument("model", type=Path, metavar="INT8.tflite", help="an integer model of it")
    parser.add_argument(
        "--inputs",
        type=Path,
        required=True,
        metavar="FILE",
        help=".npy of samples for one input, .npz by the float model's tensor names for several",
    )
    parser.add_argument("--json", action="store_true", help="everything, as JSON")


def compare_text(options: argparse.Namespace) -> str:
    """What is printed: the tensors that both have, those that lose most first."""
    operators = builtin_operators()
    name = identifier(options.float_model.stem)
    real_graph = read_model(
        read_file(existing_model(options.float_model)), name=name, operators=operators
    )
    real_graph = float_core(real_graph, operators).graph
    graph = _integer_graph(options.model)
    if not matched(real_graph, graph):
        what = f"no int8 tensor of a name and shape that {options.float_model} has, expected some"
        raise UsageError.at(str(options.model), what)
    given = samples_of(real_graph, load_arrays(options.inputs), None).ranges[:MOST_SAMPLES]
    samples = [run(real_graph, operators, sample, place) for place, sample in enumerate(given)]
    report = describe((real_graph, graph), operators, samples, identifier(options.model.stem))
    return json.dumps(report, indent=2) if options.json else report_text(report)


def _integer_graph(path: Path) -> Graph:
    """The integer model, whose nodes are right; raises UnsupportedError."""
    operators = builtin_operators()
    data, name = read_file(existing_model(path)), identifier(path.stem)
    graph = read_model(data, name=name, operators=operators)
    graph = remove_dead_nodes(fold_constants(graph, operators), operators)
    return check(graph, operators, needs_kernels=False)
