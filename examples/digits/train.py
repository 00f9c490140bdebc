"""Trains the digit network and writes digits.tflite, calibration.npz and evaluation.npz.

    pip install . torch==2.13.0 scikit-learn==1.9.1    # in a clone
    cd examples && python -m digits.train

Takes about half a minute on one core.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from torch import nn
from training.fit import accuracy, fit, shifted, start
from training.float_file import FloatFile

HERE = Path(__file__).parent
SEED = 1
EPOCHS = 240
MOST = np.float32(16)
"""The greatest value of the data."""
TRAINED, CALIBRATED = 1197, 100
"""How many of the 1,797 images, in the order of scikit-learn, are for what; the rest is judged."""


def network() -> nn.Sequential:
    """For (count, 1, 8, 8) from 0 to 1: 1,898 weights and biases."""
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(64, 10),
    )


def tflite_file(trained: nn.Sequential) -> bytes:
    """The trained network for values of 0 to MOST, as the data have them."""
    first, second, dense = trained[0], trained[3], trained[7]
    file = FloatFile("digits", (1, 8, 8, 1))
    for layer, unit in ((first, MOST), (second, 1)):
        file.conv_2d(layer.weight.detach().numpy() / unit, layer.bias.detach().numpy())
        file.max_pool_2d((2, 2), (2, 2))
    file.flatten()
    # PyTorch has a channel's image side by side, the file the channels of a pixel.
    weights = dense.weight.detach().numpy().reshape(10, 16, 2, 2).transpose(0, 2, 3, 1)
    file.fully_connected(weights.reshape(10, 64), dense.bias.detach().numpy())
    return file.file("handwritten digits of 8 x 8 values, made by examples/digits/train.py")


def main() -> None:
    """Train, and write the three files."""
    digits = load_digits()
    images, labels = digits.images.astype(np.uint8), digits.target.astype(np.uint8)
    start(SEED)
    trained = network()
    planes = images[:, np.newaxis].astype(np.float32) / MOST
    fit(
        trained,
        planes[:TRAINED],
        labels[:TRAINED],
        epochs=EPOCHS,
        rate=3e-3,
        decay=1e-2,
        vary=shifted(1),
    )
    (HERE / "digits.tflite").write_bytes(tflite_file(trained))
    judged = TRAINED + CALIBRATED
    samples = images[..., np.newaxis]
    np.savez_compressed(HERE / "calibration.npz", **{"digits/input": samples[TRAINED:judged]})
    np.savez_compressed(
        HERE / "evaluation.npz", **{"digits/input": samples[judged:]}, labels=labels[judged:]
    )
    print(f"accuracy {accuracy(trained, planes[judged:], labels[judged:]):.4f}")


if __name__ == "__main__":
    main()
