"""The options of quantizing a float model, a row each, from which every way in takes them.

Little is imported, because SCons reads this whenever it starts.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinyml_rules.request.option import Kind, Option

_ROWS = (
    Option(
        "calibration",
        Kind.FILE,
        "samples of the inputs as they are in use: a .npy with a leading axis of samples, or for "
        "several inputs a .npz by tensor name",
        metavar="CAL",
        is_required=True,
    ),
    Option(
        "validate",
        Kind.FILE,
        "further samples, by which choices are judged (default: a third of the calibration data)",
        metavar="VAL",
    ),
    Option(
        "sensor",
        Kind.FILE,
        "a description of the sensor whose values the model is given",
        metavar="SENSOR.toml",
    ),
    Option(
        "scales",
        Kind.WORD,
        "which scales tensors may have",
        default="free",
        choices={
            "free": "any",
            "power-of-two": "ratios that are powers of two, so that requantizing is a shift",
        },
    ),
    Option(
        "full_integer",
        Kind.SWITCH,
        "operators that would stay in real numbers are an error",
        default=True,
    ),
)
QUANTIZE: Mapping[str, Option] = {option.name: option for option in _ROWS}
"""By name, in the order in which pages list them."""
