"""Trains the sine predictor, quantizes it to int8 and writes the .tflite file.

    python -m models.sine.train [--output FILE]

A network with two hidden layers learns sin(x) on [0, 2*pi] from noisy samples.  The seed is
pinned, so the file is the same, byte for byte, every time.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np

from models.sine.network import Array, Layer, activations, gradients, initial_layers
from models.sine.quantization import asymmetric, quantize
from models.sine.tflite_file import tflite_bytes

LAYER_SIZES = (1, 16, 16, 1)
INPUT_RANGE = (0.0, 2 * math.pi)
NOISE = 0.1

SEED = 1
SAMPLES = 4096
STEPS = 8000
BATCH = 128
LEARNING_RATE = 0.01
WEIGHT_DECAY = 1e-4  # small weights have small ranges, which lose less in int8
MOMENTUM, SQUARE_MOMENTUM, EPSILON = 0.9, 0.999, 1e-8


def noisy_sine(rng: np.random.Generator, count: int) -> tuple[Array, Array]:
    """x, uniform in the input range, and sin(x) + noise, uniform in ±NOISE; each (count, 1)."""
    x = rng.uniform(*INPUT_RANGE, size=(count, 1))
    noise = rng.uniform(-NOISE, NOISE, size=(count, 1))
    # The last bit of sin() depends on the processor; on a grid of 2^-30 all agree.
    return x, np.rint(np.sin(x) * 2**30) / 2**30 + noise


def train() -> tuple[list[Layer], Array]:
    """The trained layers, and the inputs (SAMPLES, 1) that they were trained on.

    Adam (Kingma and Ba, 2015, algorithm 1), with a rate that falls linearly to zero.
    """
    rng = np.random.default_rng(SEED)
    x, y = noisy_sine(rng, SAMPLES)
    layers = initial_layers(LAYER_SIZES, rng, input_range=INPUT_RANGE)
    parameters = _arrays(layers)  # the layers' own arrays, changed in place
    mean = [np.zeros_like(array) for array in parameters]
    square = [np.zeros_like(array) for array in parameters]
    mean_unseen, square_unseen = 1.0, 1.0  # the paper's powers, multiplied up: pow() is inexact
    for step in range(STEPS):
        batch = rng.integers(0, SAMPLES, size=BATCH)
        slopes = _arrays(_decayed(gradients(layers, x[batch], y[batch]), layers))
        rate = LEARNING_RATE * (1 - step / STEPS)
        mean_unseen *= MOMENTUM
        square_unseen *= SQUARE_MOMENTUM
        for index, slope in enumerate(slopes):
            mean[index] += (1 - MOMENTUM) * (slope - mean[index])
            square[index] += (1 - SQUARE_MOMENTUM) * (slope * slope - square[index])
            spread = np.sqrt(square[index] / (1 - square_unseen)) + EPSILON
            parameters[index] -= rate * (mean[index] / (1 - mean_unseen)) / spread
    return layers, x


def _decayed(slopes: list[Layer], layers: list[Layer]) -> list[Layer]:
    return [
        Layer(slope.weights + WEIGHT_DECAY * layer.weights, slope.bias)
        for slope, layer in zip(slopes, layers, strict=True)
    ]


def _arrays(layers: list[Layer]) -> list[Array]:
    return [array for layer in layers for array in (layer.weights, layer.bias)]


def main() -> None:
    """Train and write the file."""
    parser = argparse.ArgumentParser(description="Train sine.tflite.")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_name("sine.tflite"))
    output: Path = parser.parse_args().output
    layers, inputs = train()
    source = asymmetric(*INPUT_RANGE)
    data = tflite_bytes(
        quantize(layers, inputs, source=source),
        source=source,
        name="sine",
        description="sin(x) for x in [0, 2*pi], int8, made by models/sine/train.py",
    )
    output.write_bytes(data)
    loss = float(np.mean((activations(layers, inputs)[-1] - np.sin(inputs)) ** 2))
    print(f"{output}: {len(data)} bytes; before quantization {loss:.6f} from sin(x), squared")


if __name__ == "__main__":
    main()
