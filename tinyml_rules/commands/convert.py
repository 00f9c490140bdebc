"""`convert`: a model of another framework, by that framework's converter, into a .tflite file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tinyml_rules.commands.console import Console
from tinyml_rules.converting.converters import CONVERTERS, convert
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.c_names import identifier
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph
from tinyml_rules.model_file.flatbuffer import has_identifier
from tinyml_rules.model_file.other_formats import SAVED_MODEL, OtherFormat
from tinyml_rules.model_file.reader import FILE_IDENTIFIER, read_model
from tinyml_rules.ops import load_operators
from tinyml_rules.request.model_path import format_of, read_model_file
from tinyml_rules.request.wording import worded
from tinyml_rules.system.computer import shell_word
from tinyml_rules.system.files import read_file, write_files

_TIMEOUT_S = 600.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The model, the file to write, and where the converter is."""
    parser.add_argument(
        "model",
        type=Path,
        metavar="MODEL",
        help="a Keras file (.keras, .h5), the folder of a SavedModel, an ONNX file, a file of "
        "torch.export (.pt2), or C source with a .tflite file as an array",
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="MODEL.tflite", help="the file to write"
    )
    parser.add_argument(
        "--replace", action="store_true", help="replace the file to write if it exists"
    )
    group = parser.add_argument_group("the converter")
    group.add_argument(
        "--python",
        default=sys.executable,
        metavar="PYTHON",
        help="the Python that has the converter's packages (default: the one of this command)",
    )
    group.add_argument(
        "--timeout",
        type=float,
        default=_TIMEOUT_S,
        metavar="SECONDS",
        help=f"end the converter if it takes longer (default: {_TIMEOUT_S:g})",
    )
    group.add_argument("--log", type=Path, metavar="FILE", help="write what the converter prints")


def run(options: argparse.Namespace, console: Console) -> None:
    """Convert, read what was made, and put it in place."""
    out: Path = options.out
    if out.exists() and not options.replace:
        hint = "--replace replaces it"
        raise UsageError.at(str(out), "exists, expected the name of a new file", hint=hint)
    found = format_of(options.model)
    if found is not None and found.converter:
        model, by = _converted(options, found, console)
    else:
        model, by = _array(options.model), "from a C array"
    graph = read_model(model, name=identifier(options.model.stem), operators=load_operators(()))
    write_files({out.name: model}, out.parent)
    lines = [f"{out}: {len(model):,} B, {len(graph.nodes):,} nodes, converted {by}"]
    if _is_float(graph):
        word = shell_word(str(out))
        lines.append(
            f"  its weights are float32: `tinyml_rules quantize {word} --calibration FILE "
            f"--out {shell_word(str(out.with_stem(f'{out.stem}_int8')))}` makes it int8"
        )
    console.result(worded("\n".join(lines)))


def _array(file: Path) -> bytes:
    """The .tflite file that is an array of C in a file; raises ModelError or UsageError."""
    model = read_model_file(file)
    if model != read_file(file):
        return model
    is_model = has_identifier(model, FILE_IDENTIFIER)
    known = "is a .tflite file" if is_model else "is of no format that is known"
    raise UsageError.at(str(file), f"{known}, expected a model of another framework or a C array")


def _converted(
    options: argparse.Namespace, found: OtherFormat, console: Console
) -> tuple[bytes, str]:
    """The .tflite file, and the name of its converter."""
    converter = CONVERTERS[found.converter]
    model: Path = options.model
    if model.name in SAVED_MODEL:
        model = model.parent
    console.show(f"{converter.name} converts {model}")
    try:
        made = convert(
            converter, model, python=options.python, timeout_s=options.timeout, log=options.log
        )
    finally:
        console.show("")
    return made, f"by {converter.name}"


def _is_float(graph: Graph) -> bool:
    """Whether a constant is float32 that is read by a node."""
    read = {index for node in graph.nodes for index in node.inputs if index is not None}
    tensors = (graph.tensors[index] for index in read)
    return any(each.dtype is DType.FLOAT32 and each.data is not None for each in tensors)
