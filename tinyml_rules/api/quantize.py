"""`quantize`: a float model and samples of its inputs into a full-integer model, judged."""

from __future__ import annotations

import builtins
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, Unpack

import numpy as np
import numpy.typing as npt

from tinyml_rules.api.html import table_html
from tinyml_rules.api.options import QuantizeOptions
from tinyml_rules.api.source import (
    AnyPath,
    Folders,
    Model,
    Source,
    source_of,
    target_of,
    values_of,
)
from tinyml_rules.api.table import Table
from tinyml_rules.errors import Problem, UsageError
from tinyml_rules.quantizer.differences import Layer
from tinyml_rules.quantizer.options import QUANTIZE
from tinyml_rules.quantizer.quantize import quantize as quantized
from tinyml_rules.quantizer.report import report_text, tensor_row
from tinyml_rules.quantizer.request import (
    Activations,
    Arrays,
    Quantized,
    QuantizeRequest,
    Scales,
)
from tinyml_rules.quantizer.samples import load_arrays, with_real_values
from tinyml_rules.sensor.description import read_description
from tinyml_rules.sensor.raw_input import RawInput
from tinyml_rules.system.files import write_files
from tinyml_rules.system.ours import NOT_OURS, is_ours
from tinyml_rules.system.progress import Show, quietly
from tinyml_rules.target.target import Target

Samples: TypeAlias = AnyPath | npt.ArrayLike | Mapping[str, npt.ArrayLike]
"""The path of a .npy or .npz file, the samples of the only input, or those of each by name.  The
first axis counts samples."""


@dataclass(frozen=True, eq=False, repr=False)
class QuantizedModel:
    """An integer model in memory: a model for `compile`, `run` and the others."""

    quantized: Quantized
    """what the quantizer made: the file, its report, notes"""
    name: str
    """prefix of every C symbol"""

    @property
    def bytes(self) -> builtins.bytes:
        """The contents of the .tflite file."""
        return self.quantized.model

    @property
    def report(self) -> dict[str, Any]:
        """All that is known of it, as `quantize --report` writes it."""
        return self.quantized.report

    @property
    def notes(self) -> tuple[Problem, ...]:
        """What a person should hear of."""
        return self.quantized.notes

    @property
    def sqnr_db(self) -> float | None:
        """Signal to quantization noise of the outputs in dB, on the samples that judge; None where
        nothing was judged."""
        found: float | None = self.report.get("sqnr_db")
        return found

    @property
    def advice(self) -> str:
        """Which tensor loses most, and what would help."""
        return str(self.report["advice"])

    @property
    def tensors(self) -> Table[Layer]:
        """What each tensor loses, the most first: losses in dB, ends of the real values, scale."""
        found = self.report["tensors"]
        return Table([Layer(**each) for each in found], [tensor_row(each) for each in found])

    def write(self, path: AnyPath, report: AnyPath | None = None) -> Path:
        """Write the .tflite file, with a new date, and its report as JSON where a path is given.

        Raises UsageError for a file that is there and was not quantized here, and for a folder that
        cannot be written."""
        check_replaceable(Path(path))
        write_quantized(self.quantized, Path(path), None if report is None else Path(report))
        return Path(path)

    def __str__(self) -> str:
        """What the command prints: the advice, and a table of the tensors that lose most."""
        return report_text(self.report)

    def __repr__(self) -> str:
        """One line."""
        judged = "" if self.sqnr_db is None else f", SQNR {self.sqnr_db:.1f} dB"
        return f"<QuantizedModel {self.name}: {len(self.bytes):,} B{judged}>"

    def _repr_html_(self) -> str:
        judged = [] if self.sqnr_db is None else [f"SQNR of the outputs: {self.sqnr_db:.1f} dB"]
        notes = [f"{len(self.bytes):,} B as a .tflite file", *judged, self.advice]
        notes += map(str, self.notes)
        return table_html(self.tensors.rows, title=f"{self.name}, quantized", notes=notes)


def quantize(
    float_model: Model,
    calibration: Samples | None = None,
    *,
    validate: Samples | None = None,
    target: str | Target | None = None,
    name: str = "",
    target_folders: Folders = (),
    progress: Show = quietly,
    **options: Unpack[QuantizeOptions],
) -> QuantizedModel:
    """Convert a float32 model into a full-integer one.

    `calibration`: samples of its inputs, not needed if the file has the range of every tensor;
    `validate`: samples by which choices are judged too, next to folds of those.  Both are arrays
    of float32 with a leading axis of samples, one for the only input or a dictionary by tensor
    name, or the path of a .npy or .npz file.  `target`: the part that the model is for; one with
    a float unit may keep operators of float32 (`full_integer`).

    Raises UsageError for samples that do not match the inputs, UnsupportedError for an operator
    that cannot be quantized, ModelError for a broken model.
    """
    source = source_of(float_model, name)
    values = values_of(QUANTIZE, options, "quantize")
    part = None if target is None else target_of(target, target_folders)
    # a part without a float unit has no use for float32
    values.setdefault("full_integer", part is None or not part.toolchain.has_float_unit)
    arrays = {"calibration": calibration, "validate": validate}
    given = {key: value for key, value in arrays.items() if value is not None}
    request = quantize_request(source, values, given)
    return QuantizedModel(quantized(replace(request, target=part), progress), source.name)


def arrays_of(samples: Samples, where: str) -> Arrays:
    """The samples of a file, or those that are given; `where`: what messages call the latter."""
    if isinstance(samples, str | os.PathLike):
        return load_arrays(Path(samples))
    if isinstance(samples, Mapping):
        return Arrays(where, {name: np.asarray(values) for name, values in samples.items()})
    return Arrays(where, {"": np.asarray(samples)})


def quantize_request(
    source: Source, values: Mapping[str, Any], given: Mapping[str, Samples]
) -> QuantizeRequest:
    """What is asked for by parsed options, rows of QUANTIZE by name, and by the samples of those
    that have some.  Raises UsageError for a description or samples that cannot be read."""
    described = _raw_inputs(values["sensor"]) if "sensor" in values else {}
    arrays = {key: arrays_of(value, key) for key, value in given.items()}
    samples = {key: with_real_values(found, described) for key, found in arrays.items()}
    return QuantizeRequest(
        model=source.model,
        name=source.name,
        calibration=samples.get("calibration"),
        validation=samples.get("validate"),
        is_full_integer=values.get("full_integer", True),
        scales=Scales(values.get("scales", Scales.FREE)),
        activations=Activations(values.get("activations", Activations.INT8)),
        signature=values.get("signature", ""),
        flash=values.get("flash"),
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


def check_replaceable(out: Path, model: Path | None = None) -> None:
    """Raise UsageError for a file that is there and was not quantized here."""
    if out.exists() and not is_ours(out):
        is_itself = model is not None and out.resolve() == model.resolve()
        raise UsageError.at(str(out), NOT_OURS, hint="it is the float model itself" * is_itself)


def write_quantized(found: Quantized, out: Path, report: Path | None) -> None:
    """Write the model last and with a new date, because builds depend on it."""
    if report:
        text = json.dumps(found.report, indent=2) + "\n"
        write_files({report.name: text}, report.parent)
    write_files({out.name: found.model}, out.parent)
    out.touch()
