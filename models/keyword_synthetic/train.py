"""Trains the synthetic keyword spotter, quantizes it to int8 and writes its files.

    OPENBLAS_NUM_THREADS=1 python -m models.keyword_synthetic.train [--data FILE] [--models DIR]

Needs espeak-ng and some minutes.  All seeds are pinned: with the same espeak-ng, numpy and
processor the files are the same; another BLAS adds up in another order.
"""

from __future__ import annotations

import argparse
import math
import time
import wave
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from models.keyword_synthetic.answers import scores_of, table
from models.keyword_synthetic.dataset import Windows, read_or_make
from models.keyword_synthetic.features import SECOND, FrontEnd, real
from models.keyword_synthetic.network import Adam, Array, Network
from models.keyword_synthetic.tflite_file import INPUT, INPUT_SHAPE, OUTPUT, float_model, int8_model
from models.keyword_synthetic.voices import LABELS, Generator
from models.zoo import load_manifest, obtain

FOLDER = Path(__file__).parent
MODEL = FOLDER / "keyword_synthetic.tflite"
HELD_OUT = FOLDER / "held_out.npz"
"""Some of the windows of voices never heard, for `tinyml_rules accuracy`."""
RECORDINGS = FOLDER / "recordings.npz"
"""The two recordings of `speech`, and TFLM's answers."""

SEED = 28
EPOCHS = 30
BATCH = 32
RATE = 2e-3
"""At the start; it falls to 0 as a cosine."""
DECAY = 1e-2
SHIFT = 2
"""The most channels by which features are moved up or down, as by another throat."""
CALIBRATION = 200
"""Windows of training for the ranges of the integers."""
KEPT = 16
"""Windows of each class that the repository has, of those held out."""


def train(windows: Windows, generator: Generator) -> Network:
    """The trained network; prints the loss of each epoch."""
    network = Network(generator, classes=len(LABELS))
    adam = Adam(network.layers, decay=DECAY)
    steps = len(windows.labels) // BATCH
    for epoch in range(EPOCHS):
        order, loss, start = generator.permutation(len(windows.labels)), 0.0, time.process_time()
        for step in range(steps):
            chosen = order[step * BATCH : (step + 1) * BATCH]
            x = moved(real(windows.features[chosen]), generator)
            loss += network.learn(x, windows.labels[chosen])
            done = (epoch + step / steps) / EPOCHS
            adam.step(RATE * (1 + math.cos(math.pi * done)) / 2)
        seconds = time.process_time() - start
        print(f"epoch {epoch + 1}: loss {loss / steps:.3f}, {seconds:.0f} s", flush=True)
    return network


def moved(x: Array, generator: Generator) -> Array:
    """Each window by some channels; those at the end are repeated."""
    shifts = generator.integers(-SHIFT, SHIFT + 1, len(x))
    channels = np.arange(x.shape[2])[np.newaxis] - shifts[:, np.newaxis]
    channels = np.clip(channels, 0, x.shape[2] - 1)
    return np.take_along_axis(x, channels[:, np.newaxis], axis=2)


def float_answers(network: Network, features: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """The network's classes before it is quantized."""
    parts = np.array_split(features, math.ceil(len(features) / BATCH))
    return np.concatenate([network.logits(real(part)).argmax(axis=1) for part in parts])


def some_of_each(windows: Windows, generator: Generator) -> Windows:
    """KEPT of each class."""
    places = [np.flatnonzero(windows.labels == label) for label in range(len(LABELS))]
    kept = np.sort(np.concatenate([generator.choice(of, KEPT, replace=False) for of in places]))
    return Windows(windows.features[kept], windows.labels[kept])


def recordings(front_end: FrontEnd, *, mirror: Path | None, cache: Path) -> npt.NDArray[np.int8]:
    """The features of the sounds that `speech` names, the only ones that no program spoke."""
    sounds = []
    for sample in load_manifest(FOLDER.parent, "speech").demo.samples:
        with wave.open(str(obtain(sample.file, mirror=mirror, cache=cache))) as file:
            sounds.append(np.frombuffer(file.readframes(SECOND), "<i2"))
    return np.stack([front_end.window(sound) for sound in sounds])


def write(model: bytes, kept: Windows, recorded: npt.NDArray[np.int8]) -> None:
    """All files of the folder that training makes."""
    MODEL.write_bytes(model)
    labels = {"labels": kept.labels, "names": np.array(LABELS)}
    _write(HELD_OUT, {INPUT: kept.features.reshape(-1, *INPUT_SHAPE), **labels})
    inputs = recorded.reshape(-1, *INPUT_SHAPE)
    _write(RECORDINGS, {INPUT: inputs, OUTPUT: scores_of(model, recorded)})


def _write(file: Path, arrays: dict[str, Any]) -> None:
    np.savez_compressed(file, **arrays)


def main() -> None:
    """Make or read the windows, train, quantize, write, and say how good it is."""
    parser = argparse.ArgumentParser(description="Train the synthetic keyword spotter.")
    parser.add_argument("--data", type=Path, default=Path("build/keyword_synthetic/windows.npz"))
    parser.add_argument(
        "--models", type=Path, help="a folder with the preprocessor's file and both recordings"
    )
    options = parser.parse_args()
    cache = options.data.parent
    front_end = FrontEnd(mirror=options.models, cache=cache)
    windows, held_out = read_or_make(options.data, front_end, np.random.default_rng(SEED))
    generator = np.random.default_rng(SEED)
    network = train(windows, generator)
    chosen = generator.choice(len(windows.labels), CALIBRATION, replace=False)
    model = int8_model(float_model(network.folded()), real(windows.features[chosen]))
    recorded = recordings(front_end, mirror=options.models, cache=cache)
    write(model, some_of_each(held_out, generator), recorded)
    print(f"{MODEL}: {len(model)} bytes")
    print(table("float32", float_answers(network, held_out.features), held_out.labels))
    answers = scores_of(model, held_out.features)[:, 0].argmax(axis=1)
    print(table("int8", answers, held_out.labels))
    for word, scores in zip(("yes", "no"), scores_of(model, recorded)[:, 0], strict=True):
        values = " | ".join(str(int(score) + 128) for score in scores)
        print(f"| recording of {word} | {values} |")


if __name__ == "__main__":
    main()
