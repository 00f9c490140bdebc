"""How good the quantizer is on samples that it did not see: benchmarks/quantizer.json.

`python -m benchmarks.quantizer DIR`, in the project's folder, writes it; DIR has float models and
their data.  A test compares it with fresh measurements.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.quantizer.quality import MEASURED, answers, data_of, quantized_by, sqnr
from tinyml_rules.quantizer.request import Activations, Scales
from tinyml_rules.reporting.rows import Rows

FIGURES = Path("benchmarks/quantizer.json")


@dataclass(frozen=True)
class QualityRow:
    """SQNRs in dB on so many `unseen` samples, after a calibration with so many others; `held_out`
    is what the quantizer reports of those that it held out."""

    model: str
    calibration: int
    unseen: int
    tensorflow: float | None
    free: float
    free_held_out: float
    power_of_two: float
    power_held_out: float
    int16: float
    int16_held_out: float


def measure(name: str, folder: Path) -> QualityRow:
    """A row, by the files of a folder."""
    data, files = data_of(name, lambda file: folder / file), MEASURED[name].files
    wanted = data.wanted
    free, power_of_two = (quantized_by(data, each) for each in (Scales.FREE, Scales.POWER_OF_TWO))
    int16 = quantized_by(data, Scales.FREE, Activations.INT16)
    tensorflow = sqnr(answers((folder / files[2]).read_bytes(), data), wanted) if files else None
    return QualityRow(
        model=name,
        calibration=len(data.calibration),
        unseen=len(data.unseen),
        tensorflow=None if tensorflow is None else round(tensorflow, 2),
        free=round(sqnr(answers(free.model, data), wanted), 2),
        free_held_out=round(free.report["sqnr_db"], 2),
        power_of_two=round(sqnr(answers(power_of_two.model, data), wanted), 2),
        power_held_out=round(power_of_two.report["sqnr_db"], 2),
        int16=round(sqnr(answers(int16.model, data), wanted), 2),
        int16_held_out=round(int16.report["sqnr_db"], 2),
    )


def quality_of(text: str) -> list[QualityRow]:
    """The rows in the text of the file."""
    return [QualityRow(**data) for data in json.loads(text)]


def quality_rows(found: list[QualityRow]) -> Rows:
    """The table of the page."""
    return [
        {
            "model": MEASURED[row.model].title,
            "calibrated with": row.calibration,
            "measured on": f"{row.unseen} {MEASURED[row.model].unseen}",
            "TensorFlow": "" if row.tensorflow is None else f"{row.tensorflow:.1f} dB",
            "`--scales free`": f"{row.free:.1f} dB ({row.free_held_out:.1f})",
            "`--scales power-of-two`": f"{row.power_of_two:.1f} dB ({row.power_held_out:.1f})",
            "`--activations 16`": f"{row.int16:.1f} dB ({row.int16_held_out:.1f})",
        }
        for row in found
    ]


def write_figures(folder: Path) -> None:
    """Measure all."""
    lines = ",\n".join(f"  {json.dumps(asdict(measure(name, folder)))}" for name in MEASURED)
    FIGURES.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    write_figures(Path(sys.argv[1]))
