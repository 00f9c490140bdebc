"""`quantize`: a float .tflite file and samples of its inputs -> a full-integer .tflite file."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tinyml_rules.commands.console import Console
from tinyml_rules.commands.notes import add_depfile, for_build_systems, write_depfile
from tinyml_rules.errors import UsageError
from tinyml_rules.quantizer.options import QUANTIZE
from tinyml_rules.quantizer.quantize import quantize
from tinyml_rules.quantizer.report import report_text
from tinyml_rules.quantizer.request import Activations, Quantized, QuantizeRequest, Scales
from tinyml_rules.quantizer.samples import load_arrays, with_real_values
from tinyml_rules.request.command_line import (
    add_options,
    add_targets_folder,
    chosen_name,
    chosen_target,
    values_of,
)
from tinyml_rules.request.model_path import read_model_file
from tinyml_rules.sensor.description import read_description
from tinyml_rules.sensor.raw_input import RawInput
from tinyml_rules.system.files import write_files
from tinyml_rules.system.ours import NOT_OURS, is_ours
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
    _check_out(options.out, options.model)
    values = values_of(options, QUANTIZE)
    values.setdefault("full_integer", _is_full_integer(options))
    try:
        request = quantize_request(options.model, chosen_name(options), values)
        target = chosen_target(options) if options.target else None
        found = quantize(replace(request, target=target), console.show)
    finally:
        console.show("")
    for note in found.notes:
        console.tell(str(note))
    write_quantized(found, options.out, options.report)
    read = [options.model, *(value for value in values.values() if isinstance(value, Path))]
    sources = quantizer_files("cli.py", "commands/quantize.py")
    write_depfile(options.depfile, options.out, [*read, *sources])
    if not options.quiet:
        console.result(report_text(found.report))


def quantize_request(model: Path, name: str, values: Mapping[str, Any]) -> QuantizeRequest:
    """What is asked for of a file by the options, rows of QUANTIZE by name; raises UsageError for
    files that cannot be read."""
    described = _raw_inputs(values["sensor"]) if "sensor" in values else {}
    arrays = {
        key: with_real_values(load_arrays(values[key]), described)
        for key in ("calibration", "validate")
        if key in values
    }
    return QuantizeRequest(
        model=read_model_file(model),
        name=name,
        calibration=arrays.get("calibration"),
        validation=arrays.get("validate"),
        is_full_integer=values.get("full_integer", True),
        scales=Scales(values.get("scales", Scales.FREE)),
        activations=Activations(values.get("activations", Activations.INT8)),
        int16=tuple(name.strip() for name in values.get("int16", "").split(",") if name.strip()),
    )


def _raw_inputs(sensor: Path) -> Mapping[str, RawInput]:
    """What a description says of raw values; features of sound are none."""
    found = read_description(sensor)
    for each in found.microphones.values():
        what = "'features' are not made of calibration data, expected what raw values mean"
        hint = "give real features as calibration data, and no --sensor"
        raise UsageError.at(each.where, what, hint=hint)
    return found.inputs


def write_quantized(found: Quantized, out: Path, report: Path | None) -> None:
    """Write the model last and with a new date, because builds depend on it."""
    if report:
        text = json.dumps(found.report, indent=2) + "\n"
        write_files({report.name: text}, report.parent)
    write_files({out.name: found.model}, out.parent)
    out.touch()


def _is_full_integer(options: argparse.Namespace) -> bool:
    """The default: a part without a float unit has no use for float32."""
    return not (options.target and chosen_target(options).toolchain.has_float_unit)


def _check_out(out: Path, model: Path) -> None:
    """Raise UsageError for a file that is there and was not quantized here."""
    if out.exists() and not is_ours(out):
        hint = "it is the float model itself" if out.resolve() == model.resolve() else ""
        raise UsageError.at(str(out), NOT_OURS, hint=hint)
