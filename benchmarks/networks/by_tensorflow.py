"""What TensorFlow's quantizer makes of the networks, for a Python that has it:

    pip install tensorflow==2.21.0
    python benchmarks/networks/by_tensorflow.py build/networks

`./tinyml quantizer-survey` writes that folder, float models with their calibration samples, and
measures what it finds there of TensorFlow's models.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np


def quantized(model: bytes, samples: Sequence[Any]) -> bytes:
    """As TFLiteConverter does behind its conversion, with int8 inputs and outputs; `samples` has an
    array [count, *shape] for each input."""
    import tensorflow  # noqa: PLC0415 - not for the survey
    from tensorflow.lite.python import convert  # noqa: PLC0415
    from tensorflow.lite.python.optimize.calibrator import Calibrator  # noqa: PLC0415

    def rows() -> Iterator[list[Any]]:
        for row in zip(*samples, strict=True):
            yield list(row)

    int8 = tensorflow.int8
    calibrated = Calibrator(model).calibrate(rows)
    found: bytes = convert.mlir_quantize(calibrated, input_data_type=int8, output_data_type=int8)
    return found


def name_of(model: bytes) -> str:
    """The file that has TensorFlow's model of a float model."""
    return f"{hashlib.sha256(model).hexdigest()[:16]}.tensorflow.tflite"


def main(folder: Path) -> None:
    """Quantize all that is not yet."""
    for samples in sorted(folder.glob("*_?.npz")):
        model = samples.with_suffix(".tflite").read_bytes()
        file = folder / name_of(model)
        if not file.is_file():
            with np.load(samples, allow_pickle=False) as arrays:
                file.write_bytes(quantized(model, [arrays[name] for name in arrays]))
            print(f"{samples.stem}: {file}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
