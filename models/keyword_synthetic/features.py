"""Samples of sound -> rows of features, by TFLM's own preprocessor: what `speech` was trained with.

The file runs in TFLM's interpreter, frame after frame with its state kept, as on a device.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
from tflite_micro.python.tflite_micro import runtime

from models.zoo import RemoteFile, obtain

PREPROCESSOR = RemoteFile(
    "audio_preprocessor_int8.tflite",
    "https://raw.githubusercontent.com/tensorflow/tflite-micro/"
    "90b983c2b3f1480642e040bbd2ddb37b998f3424/"
    "tensorflow/lite/micro/examples/micro_speech/models/audio_preprocessor_int8.tflite",
    "278949d197166fb8b580c0bdc94e902fb709fec0569dcf5766816b28285440e5",
)
ROWS, CHANNELS = 49, 40
FRAME, STEP = 480, 320
"""Samples at 16 kHz: 30 ms every 20 ms."""
SECOND = FRAME + (ROWS - 1) * STEP
"""The samples that a window of features is made of."""
SCALE, ZERO_POINT = 26 / 256, -128
"""real = SCALE * (feature - ZERO_POINT), of `speech` too."""
ARENA_BYTES = 64 * 1024


class FrontEnd:
    """The preprocessor, ready to run."""

    def __init__(self, *, mirror: Path | None, cache: Path) -> None:
        file = obtain(PREPROCESSOR, mirror=mirror, cache=cache)
        self._interpreter = runtime.Interpreter.from_bytes(
            file.read_bytes(), arena_size=ARENA_BYTES
        )

    def window(self, sound: npt.NDArray[np.int16]) -> npt.NDArray[np.int8]:
        """The last second of the sound as int8 [49, 40]; what is before sets the noise estimate.

        `sound` has SECOND samples or whole steps more.
        """
        self._interpreter.reset()
        frames = np.lib.stride_tricks.sliding_window_view(sound, FRAME)[::STEP]
        rows = np.empty((len(frames), CHANNELS), np.int8)
        for row, frame in zip(rows, frames, strict=True):
            self._interpreter.set_input(frame[np.newaxis].copy(), 0)
            self._interpreter.invoke()
            row[:] = self._interpreter.get_output(0)
        return rows[-ROWS:]


def real(features: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """What features mean, 0 to 25.9."""
    return (features.astype(np.float32) - ZERO_POINT) * np.float32(SCALE)
