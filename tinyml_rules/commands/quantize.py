"""`quantize`: a float .tflite file and samples of its inputs -> a full-integer .tflite file."""

from __future__ import annotations

import argparse
from pathlib import Path

from tinyml_rules.api.quantize import check_replaceable, quantize, write_quantized
from tinyml_rules.commands.console import Console
from tinyml_rules.commands.notes import add_depfile, for_build_systems, write_depfile
from tinyml_rules.quantizer.options import QUANTIZE
from tinyml_rules.request.command_line import (
    add_options,
    add_targets_folder,
    values_of,
    words_given,
)
from tinyml_rules.system.sources import quantizer_files


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The float model, the samples, and what is written."""
    parser.add_argument("model", type=Path, metavar="FLOAT.tflite", help="the float32 model")
    parser.add_argument(
        "--name", help="the model's name in messages (default: from the file's name)"
    )
    add_options(parser, QUANTIZE)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="INT8.tflite", help="the integer model to write"
    )
    parser.add_argument("--target", help="the target, part or board that the model is for")
    add_targets_folder(parser)
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the report as JSON")
    add_depfile(for_build_systems(parser), "INT8.tflite")
    parser.add_argument(
        "--quiet", action="store_true", help="print nothing but errors and warnings"
    )


def run(options: argparse.Namespace, console: Console) -> None:
    """Quantize, write, and print the report."""
    check_replaceable(options.out, options.model)
    try:
        found = quantize(
            options.model,
            target=options.target,
            name=options.name or "",
            target_folders=options.targets,
            progress=console.show,
            **words_given(options, QUANTIZE),
        )
    finally:
        console.show("")
    for note in found.notes:
        console.tell(str(note))
    write_quantized(found.quantized, options.out, options.report)
    named = values_of(options, QUANTIZE).values()
    read = [options.model, *(value for value in named if isinstance(value, Path))]
    sources = quantizer_files("cli.py", "api/quantize.py", "commands/quantize.py")
    write_depfile(options.depfile, options.out, [*read, *sources])
    if not options.quiet:
        console.result(str(found))
