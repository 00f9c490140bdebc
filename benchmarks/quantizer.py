"""How good the quantizer is on samples that it did not see: benchmarks/quantizer.json.

`python -m benchmarks.quantizer DIR`, in the project's folder, writes it; DIR has float models and
their data.  A test compares it with fresh measurements.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.quantizer.quality import (
    MEASURED,
    Data,
    answers,
    centred_sqnr,
    data_of,
    quantized_by,
    sqnr,
)
from tests.quantizer.runs import AnyArray
from tinyml_rules.quantizer.request import Activations, Scales
from tinyml_rules.reporting.rows import Rows

FIGURES = Path("benchmarks/quantizer.json")


@dataclass(frozen=True)
class Figures:
    """SQNRs in dB on unseen samples, plain and with means taken out; `held_out` is the former as
    the quantizer reports it of samples that it held out, None for another quantizer."""

    sqnr: float
    centred: float
    held_out: float | None = None


@dataclass(frozen=True)
class QualityRow:
    """Figures of so many `unseen` samples, after a calibration with so many others."""

    model: str
    calibration: int
    unseen: int
    tensorflow: Figures | None
    free: Figures
    power_of_two: Figures
    int16: Figures


def figures(model: bytes, data: Data, wanted: AnyArray, held_out: float | None) -> Figures:
    """Those of an integer model."""
    found = answers(model, data)
    numbers = sqnr(found, wanted), centred_sqnr(found, wanted)
    plain, centred = (round(each, 2) for each in numbers)
    return Figures(plain, centred, None if held_out is None else round(held_out, 2))


def measure(name: str, folder: Path) -> QualityRow:
    """A row, by the files of a folder."""
    data, files = data_of(name, lambda file: folder / file), MEASURED[name].files
    wanted = data.wanted

    def ours(scales: Scales, activations: Activations = Activations.INT8) -> Figures:
        made = quantized_by(data, scales, activations)
        return figures(made.model, data, wanted, made.report["sqnr_db"])

    theirs = figures((folder / files[2]).read_bytes(), data, wanted, None) if files else None
    return QualityRow(
        model=name,
        calibration=len(data.calibration),
        unseen=len(data.unseen),
        tensorflow=theirs,
        free=ours(Scales.FREE),
        power_of_two=ours(Scales.POWER_OF_TWO),
        int16=ours(Scales.FREE, Activations.INT16),
    )


def quality_of(text: str) -> list[QualityRow]:
    """The rows in the text of the file."""
    return [
        QualityRow(**{key: _value(each) for key, each in data.items()}) for data in json.loads(text)
    ]


def _value(found: Any) -> Any:
    return Figures(**found) if isinstance(found, dict) else found


def quality_rows(found: list[QualityRow]) -> Rows:
    """The table of the page."""
    return [
        {
            "model": MEASURED[row.model].title,
            "calibrated with": row.calibration,
            "measured on": f"{row.unseen} {MEASURED[row.model].unseen}",
            "TensorFlow": "" if row.tensorflow is None else _cell(row.tensorflow),
            "`--scales free`": _cell(row.free),
            "`--scales power-of-two`": _cell(row.power_of_two),
            "`--activations 16`": _cell(row.int16),
        }
        for row in found
    ]


def _cell(found: Figures) -> str:
    held_out = "" if found.held_out is None else f" ({found.held_out:.1f})"
    return f"{found.sqnr:.1f} dB{held_out}, centred {found.centred:.1f}"


def write_figures(folder: Path) -> None:
    """Measure all."""
    lines = ",\n".join(f"  {json.dumps(asdict(measure(name, folder)))}" for name in MEASURED)
    FIGURES.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    write_figures(Path(sys.argv[1]))
