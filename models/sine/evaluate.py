"""Prints the mean squared error of sine.tflite against noisy sin(x), run by TFLM's interpreter.

python -m models.sine.evaluate [FILE]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from tflite_micro.python.tflite_micro import runtime

from models.sine.network import Array
from models.sine.train import noisy_sine

SEED = 1000  # another one than training's
SAMPLES = 1000
ARENA_BYTES = 64 * 1024


def predictions(model: bytes, x: Array) -> Array:
    """The model's sin(x), shape (count, 1) as x: real in, real out, int8 between."""
    interpreter = runtime.Interpreter.from_bytes(model, arena_size=ARENA_BYTES)
    scale, zero_point = _quantization(interpreter.get_input_details(0))
    quantized = np.clip(np.rint(x / scale) + zero_point, -128, 127).astype(np.int8)
    outputs = np.empty_like(quantized)
    for index, value in enumerate(quantized):
        interpreter.set_input(value.reshape(1, 1), 0)
        interpreter.invoke()
        outputs[index] = interpreter.get_output(0)[0]
    scale, zero_point = _quantization(interpreter.get_output_details(0))
    return scale * (outputs.astype(np.float64) - zero_point)


def _quantization(details: dict[str, dict[str, list[float]]]) -> tuple[float, float]:
    parameters = details["quantization_parameters"]
    return float(parameters["scales"][0]), float(parameters["zero_points"][0])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Mean squared error of a sine model.")
    parser.add_argument(
        "file", type=Path, nargs="?", default=Path(__file__).with_name("sine.tflite")
    )
    model = parser.parse_args().file.read_bytes()
    x, noisy = noisy_sine(np.random.default_rng(SEED), SAMPLES)
    error = float(np.mean((predictions(model, x) - noisy) ** 2))
    floor = float(np.mean((np.sin(x) - noisy) ** 2))
    print(f"mean squared error {error:.6f} over {SAMPLES} samples, noise alone {floor:.6f}")


if __name__ == "__main__":
    main()
