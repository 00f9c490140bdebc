"""The microfrontend of TensorFlow as a reference, with every parameter and at any sample rate.

The wheel `pymicro-features` holds the whole C library, of which its Python offers one
configuration; the others are reached through the library's own functions.
"""

from __future__ import annotations

import ctypes
from typing import Any

import micro_features_cpp
import numpy as np
import numpy.typing as npt

_SIZE, _INT, _FLOAT = ctypes.c_size_t, ctypes.c_int, ctypes.c_float
_POINTER = ctypes.c_void_p


class _Config(ctypes.Structure):
    """FrontendConfig of frontend_util.h; what is nested there is flat here."""

    _fields_ = (
        ("window_size", _SIZE),
        ("window_step", _SIZE),
        ("num_channels", _INT),
        ("upper_band_limit", _FLOAT),
        ("lower_band_limit", _FLOAT),
        ("output_scale_shift", _INT),
        ("smoothing_bits", _INT),
        ("even_smoothing", _FLOAT),
        ("odd_smoothing", _FLOAT),
        ("min_signal_remaining", _FLOAT),
        ("enable_pcan", _INT),
        ("pcan_strength", _FLOAT),
        ("pcan_offset", _FLOAT),
        ("gain_bits", _INT),
        ("enable_log", _INT),
        ("scale_shift", _INT),
    )


class _Output(ctypes.Structure):
    _fields_ = (("values", ctypes.POINTER(ctypes.c_uint16)), ("size", _SIZE))


DEFAULTS: dict[str, Any] = {
    "window_size": 30,
    "window_step": 10,
    "num_channels": 40,
    "upper_band_limit": 7500.0,
    "lower_band_limit": 125.0,
    "smoothing_bits": 10,
    "even_smoothing": 0.025,
    "odd_smoothing": 0.06,
    "min_signal_remaining": 0.05,
    "enable_pcan": True,
    "pcan_strength": 0.95,
    "pcan_offset": 80.0,
    "gain_bits": 21,
    "enable_log": True,
    "scale_shift": 6,
}
"""What `pymicro_features` sets."""
_MOST_STATE_BYTES = 4096


def reference_features(
    samples: npt.NDArray[np.int16], options: dict[str, Any] | None = None
) -> npt.NDArray[np.uint16]:
    """The features [rows, channels] of samples, from a fresh state on."""
    chosen = {**DEFAULTS, **(options or {})}
    rate = int(chosen.pop("sample_rate", 16000))
    library = ctypes.CDLL(micro_features_cpp.__file__)
    process = library.FrontendProcessSamples
    process.restype = _Output
    process.argtypes = (_POINTER, _POINTER, _SIZE, ctypes.POINTER(_SIZE))
    config = _Config(**chosen)
    state = ctypes.create_string_buffer(_MOST_STATE_BYTES)
    is_made = library.FrontendPopulateState(ctypes.byref(config), state, rate)
    assert is_made, "the library refuses these parameters"
    left, rows = np.ascontiguousarray(samples, np.int16), []
    while left.size:
        read = _SIZE()
        found = process(state, left.ctypes.data, left.size, ctypes.byref(read))
        left = left[read.value :]
        if found.size:
            rows.append(np.array(found.values[: found.size], np.uint16))
    library.FrontendFreeStateContents(state)
    return np.array(rows, np.uint16).reshape(-1, int(chosen["num_channels"]))
