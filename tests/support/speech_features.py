"""From one second of sound to the 49 x 40 features that the speech model takes."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pymicro_features import MicroFrontend

FRAMES, CHANNELS = 49, 40
SAMPLE_RATE = 16_000
STRIDE_MS = 20
FRONTEND_STRIDE_MS = 10  # built into pymicro_features
FRONTEND_SCALE = 25.6  # pymicro_features gives the frontend's integers divided by this


def speech_features(path: Path) -> npt.NDArray[np.int8]:
    """The features of a 16 kHz mono 16-bit .wav of one second, shape (1, 1960).

    Windows of 30 ms every 20 ms, quantized as TFLM's micro_speech does.  Not its exact features:
    the frontend here moves in steps of 10 ms, and every second frame is kept, so its estimate of
    the noise is updated twice as often.
    """
    return features_of(read_sound(path)).reshape(1, FRAMES * CHANNELS)


def features_of(sound: bytes) -> npt.NDArray[np.int8]:
    """The same of the sound's samples, shape (49, 40)."""
    features = _frames(sound)[:: STRIDE_MS // FRONTEND_STRIDE_MS]
    assert features.shape == (FRAMES, CHANNELS), f"{features.shape} features"
    # micro_speech: feature * 256 / (25.6 * 26), rounded; 256 / 666 brings 0..26 * 25.6 to 0..255.
    scaled = (features * 256 + 333) // 666 - 128
    return np.clip(scaled, -128, 127).astype(np.int8)


def read_sound(path: Path) -> bytes:
    """The samples of a 16 kHz mono .wav, 16 bits each."""
    with wave.open(str(path)) as sound:
        form = (sound.getframerate(), sound.getsampwidth(), sound.getnchannels())
        assert form == (SAMPLE_RATE, 2, 1), f"{path.name}: {form}"
        samples: bytes = sound.readframes(sound.getnframes())
        return samples


def _frames(sound: bytes) -> npt.NDArray[np.int64]:
    """Every frame's features as the frontend's integers, shape (frames, 40)."""
    frontend = MicroFrontend()
    frames, position = [], 0
    while position < len(sound):
        result = frontend.process_samples(sound[position:])
        if result.features:
            frames.append(result.features)
        if result.samples_read == 0:
            break
        position += 2 * result.samples_read
    return np.rint(np.array(frames) * FRONTEND_SCALE).astype(np.int64)
