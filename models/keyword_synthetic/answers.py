"""What TFLM answers to windows of features, and how much of that is right."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from tflite_micro.python.tflite_micro import runtime

from models.keyword_synthetic.tflite_file import INPUT_SHAPE
from models.keyword_synthetic.voices import LABELS

ARENA_BYTES = 256 * 1024


def scores_of(model: bytes, features: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """The outputs, [count, 1, classes], for features [count, 49, 40]."""
    interpreter = runtime.Interpreter.from_bytes(model, arena_size=ARENA_BYTES)
    scores = np.empty((len(features), 1, len(LABELS)), np.int8)
    for score, window in zip(scores, features, strict=True):
        interpreter.set_input(window.reshape(INPUT_SHAPE), 0)
        interpreter.invoke()
        score[:] = interpreter.get_output(0)
    return scores


def table(name: str, answers: npt.NDArray[np.int64], labels: npt.NDArray[np.uint8]) -> str:
    """The accuracy, and a row for each label with the number of windows for each answer."""
    right = int(np.sum(answers == labels))
    lines = [
        f"{name}: {right} of {len(labels)}, {right / len(labels):.3f}",
        f"| | {' | '.join(LABELS)} |",
        "| --- |" + " --: |" * len(LABELS),
    ]
    for number, label in enumerate(LABELS):
        counts = np.bincount(answers[labels == number], minlength=len(LABELS))
        lines.append(f"| {label} | {' | '.join(map(str, counts))} |")
    return "\n".join(lines)
