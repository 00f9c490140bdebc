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
        "samples of the inputs: .npy for one input, .npz by tensor name for several, with a "
        "leading axis of samples; not needed if the model file has the range of every tensor",
        metavar="FILE",
    ),
    Option(
        "validate",
        Kind.FILE,
        "samples that judge every choice (default: a third of those of the calibration)",
        metavar="FILE",
    ),
    Option(
        "sensor",
        Kind.FILE,
        "what raw values are: samples of whole numbers become the real ones that they mean",
        metavar="FILE",
    ),
    Option(
        "scales",
        Kind.WORD,
        "which scales tensors may have",
        default="free",
        choices={
            "free": "any",
            "power-of-two": "every factor of a requantization is one, so that it is a shift",
        },
    ),
    Option(
        "full_integer",
        Kind.SWITCH,
        "refuse operators that would stay float32",
        default=True,
    ),
)
QUANTIZE: Mapping[str, Option] = {option.name: option for option in _ROWS}
"""By name, in the order in which pages list them."""
