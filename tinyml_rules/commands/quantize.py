"""`quantize`: a float .tflite file and samples of its inputs -> a full-integer .tflite file."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from tinyml_rules.errors import UsageError
from tinyml_rules.quantize.quantize import MADE_BY, quantize
from tinyml_rules.quantize.report import report_text
from tinyml_rules.quantize.request import Arrays, Quantized, QuantizeRequest, Scales
from tinyml_rules.quantize.samples import load_arrays, with_real_values
from tinyml_rules.request.command_line import add_targets_folder, chosen_name, chosen_target
from tinyml_rules.request.model_path import existing_model
from tinyml_rules.sensor.description import described_files, read_description
from tinyml_rules.system.depfile import FIRST_LINE, depfile_text
from tinyml_rules.system.files import read_file, write_anew, write_files
from tinyml_rules.system.ours import NOT_OURS
from tinyml_rules.system.sources import quantizer_files

_FLOAT_UNIT = "-mfloat-abi=hard"
"""What a target with a float unit compiles with."""


def add_quantize(parser: argparse.ArgumentParser) -> None:
    """The float model, the samples, and what is written."""
    parser.add_argument("model", type=Path, metavar="FLOAT.tflite", help="the float32 model")
    parser.add_argument("--name", help="what errors call the model (default: from the file's name)")
    parser.add_argument(
        "--calibration",
        type=Path,
        required=True,
        metavar="FILE",
        help="samples of the inputs: .npy for one input, .npz by tensor name for several, with a "
        "leading axis of samples",
    )
    parser.add_argument(
        "--validate",
        type=Path,
        metavar="FILE",
        help="samples that judge every choice (default: a third of those of --calibration)",
    )
    parser.add_argument(
        "--sensor",
        type=Path,
        metavar="FILE.toml",
        help="what raw values are: samples of whole numbers become the real ones that they mean",
    )
    _add_choices(parser)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="INT8.tflite", help="the integer model to write"
    )
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the report as JSON")
    parser.add_argument("--depfile", type=Path, metavar="FILE", help="write what the model is from")
    parser.add_argument("--quiet", action="store_true", help="print errors and warnings alone")


def _add_choices(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--full-integer",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="refuse operators that would stay float32 (default, unless --target has a float unit)",
    )
    parser.add_argument(
        "--scales",
        choices=tuple(Scales),
        default=Scales.FREE,
        help="power-of-two: every factor of a requantization is one (default: free)",
    )
    parser.add_argument("--target", help="what the model is for; see `targets`")
    add_targets_folder(parser)


def quantize_text(
    options: argparse.Namespace, show: Callable[[str], None], warn: Callable[[str], None]
) -> str:
    """Quantize, write, and return what is printed; `show` is given what is done now, at last
    nothing, and `warn` what a person should hear of."""
    _check_out(options.out, options.model)
    try:
        found = quantize(_request(options), show)
    finally:
        show("")
    for note in found.notes:
        warn(str(note))
    _write(options, found)
    return "" if options.quiet else f"{report_text(found.report)}\n"


def _request(options: argparse.Namespace) -> QuantizeRequest:
    inputs = {} if options.sensor is None else read_description(options.sensor).inputs

    def load(path: Path) -> Arrays:
        return with_real_values(load_arrays(path), inputs)

    return QuantizeRequest(
        model=read_file(existing_model(options.model)),
        name=chosen_name(options),
        calibration=load(options.calibration),
        validation=None if options.validate is None else load(options.validate),
        is_full_integer=_is_full_integer(options),
        scales=Scales(options.scales),
    )


def _is_full_integer(options: argparse.Namespace) -> bool:
    if options.full_integer is not None:
        return bool(options.full_integer)
    return not options.target or _FLOAT_UNIT not in chosen_target(options).toolchain.compile_flags


def _check_out(out: Path, model: Path) -> None:
    """Raise UsageError for a file that is there and was not quantized here."""
    if out.exists() and (not out.is_file() or MADE_BY.encode() not in out.read_bytes()):
        hint = "it is the float model itself" if out.resolve() == model.resolve() else ""
        raise UsageError.at(str(out), NOT_OURS, hint=hint)


def _write(options: argparse.Namespace, found: Quantized) -> None:
    """The model last, because a build goes by it."""
    if options.report:
        text = json.dumps(found.report, indent=2) + "\n"
        write_files({options.report.name: text}, options.report.parent)
    write_files({options.out.name: found.model}, options.out.parent)
    if options.depfile:
        described = [] if options.sensor is None else described_files(options.sensor)
        files = [options.model, options.calibration, *filter(None, [options.validate]), *described]
        sources = quantizer_files("cli.py", "commands/quantize.py")
        text = depfile_text(str(options.out), [*map(str, files), *sources])
        write_anew(options.depfile, text, like=FIRST_LINE)
