"""Trains the motion network; writes motion.tflite, sensor.toml, calibration.npz, evaluation.npz.

    pip install . torch==2.13.0 aeon==1.6.0            # in a clone
    cd examples && python -m motion.train

Takes about half a minute on one core.  aeon's own file is read, and nothing of aeon is run.
"""

from __future__ import annotations

import math
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from torch import nn
from training.fit import accuracy, fit, start
from training.float_file import FloatFile

HERE = Path(__file__).parent
SEED = 1
EPOCHS = 200
WINDOW, HOP = 50, 10
"""Samples of a window, and from one window to the next: five seconds and one."""
TRAINED = 8
"""How many of the ten recordings of each class in aeon's TRAIN file train; the others calibrate."""
LABELS = ("standing", "running", "walking", "badminton")
GRAVITY = 9.80665  # m/s²
SCALE = np.repeat([GRAVITY / 8192, math.radians(2000) / 32768], 3)
"""What one count means, m/s² and rad/s: 16 bits for ±4 g and for ±2000 °/s."""

DESCRIPTION = """\
# Six values of a motion sensor, 10 times a second: acceleration in m/s², rotation in rad/s.
# Written by train.py: mean and std are those of the training recordings.
[input]
raw = "int16"
scale = {scale}
mean = {mean}
std = {std}

[output]
head = "argmax"
labels = {labels}
"""


def recordings(name: str) -> tuple[np.ndarray, np.ndarray]:
    """A file of aeon's BasicMotions: raw values int16 (count, 100, 6), and classes (count,)."""
    package = find_spec("aeon")
    assert package is not None and package.origin is not None, "pip install aeon"
    folder = Path(package.origin).parent / "datasets" / "data" / "BasicMotions"
    text = (folder / f"BasicMotions_{name}.ts").read_text(encoding="utf-8")
    rows = [line.split(":") for line in text.splitlines() if line and line[0] not in "#@"]
    channels = np.array([[part.split(",") for part in row[:-1]] for row in rows], np.float64)
    counts = np.rint(channels.swapaxes(1, 2) / SCALE)
    classes = [LABELS.index(row[-1].strip().lower()) for row in rows]
    return np.clip(counts, -32768, 32767).astype(np.int16), np.array(classes, np.uint8)


def windows(raw: np.ndarray, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(count, 100, 6) -> every window of every recording (count, WINDOW, 1, 6), with its class."""
    begins = range(0, raw.shape[1] - WINDOW + 1, HOP)
    cut = np.stack([raw[:, begin : begin + WINDOW] for begin in begins], axis=1)
    return cut.reshape(-1, WINDOW, 1, 6), np.repeat(classes, len(begins))


def network() -> nn.Sequential:
    """Three convolutions along time, their mean, and a dense layer."""
    return nn.Sequential(
        nn.Conv2d(6, 16, (5, 1), padding=(2, 0)),
        nn.ReLU(),
        nn.MaxPool2d((2, 1)),
        nn.Conv2d(16, 16, (5, 1), padding=(2, 0)),
        nn.ReLU(),
        nn.MaxPool2d((2, 1)),
        nn.Conv2d(16, 24, (3, 1), padding=(1, 0)),
        nn.ReLU(),
        nn.AvgPool2d((12, 1)),
        nn.Flatten(),
        nn.Linear(24, 4),
    )


def tflite_file(trained: nn.Sequential) -> bytes:
    """The trained network, with a SOFTMAX, for values that have mean 0 and standard deviation 1."""
    weights = [
        (layer.weight.detach().numpy(), layer.bias.detach().numpy())
        for layer in (trained[0], trained[3], trained[6], trained[10])
    ]
    file = FloatFile("motion", (1, WINDOW, 1, 6))
    for layer in weights[:2]:
        file.conv_2d(*layer)
        file.max_pool_2d((2, 1), (2, 1))
    file.conv_2d(*weights[2])
    file.average_pool_2d((12, 1), (12, 1))
    file.flatten()
    file.fully_connected(*weights[3])
    file.softmax()
    return file.file("standing, running, walking, badminton; made by examples/motion/train.py")


def main() -> None:
    """Train, and write the four files."""
    raw, classes = recordings("TRAIN")
    is_trained = np.arange(len(raw)) % 10 < TRAINED  # class after class, ten of each
    x, y = windows(raw[is_trained], classes[is_trained])
    calibration, _ = windows(raw[~is_trained], classes[~is_trained])
    judged, expected = windows(*recordings("TEST"))
    real = raw[is_trained] * SCALE
    mean, std = (np.round(of, 3) for of in (real.mean((0, 1)), real.std((0, 1))))

    def normalized(samples: np.ndarray) -> np.ndarray:
        return ((samples * SCALE - mean) / std).transpose(0, 3, 1, 2)

    start(SEED)
    trained = network()
    fit(trained, normalized(x), y, epochs=EPOCHS)
    (HERE / "motion.tflite").write_bytes(tflite_file(trained))
    description = DESCRIPTION.format(
        scale=[float(f"{scale:.7g}") for scale in SCALE],
        mean=[float(value) for value in mean],
        std=[float(value) for value in std],
        labels=str(list(LABELS)).replace("'", '"'),
    )
    (HERE / "sensor.toml").write_text(description, encoding="utf-8")
    np.savez_compressed(HERE / "calibration.npz", **{"motion/input": calibration})
    np.savez_compressed(
        HERE / "evaluation.npz", **{"motion/input": judged}, labels=expected, names=LABELS
    )
    print(f"accuracy {accuracy(trained, normalized(judged), expected):.4f}")


if __name__ == "__main__":
    main()
