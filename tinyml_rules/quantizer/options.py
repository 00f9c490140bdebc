"""The options of quantizing a float model, a row each, from which every way in takes them.

Little is imported, because SCons reads this whenever it starts.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinyml_rules.request.option import Kind, Option

_SAMPLES = "samples of the inputs"
_NUMBERS = "numbers of the model"

_ROWS = (
    Option(
        "calibration",
        Kind.FILE,
        "samples of the inputs, as .npy for one input, or .npz by tensor name for several; the "
        "first axis counts samples; not needed if the model file has the range of every tensor",
        metavar="FILE",
        group=_SAMPLES,
    ),
    Option(
        "validate",
        Kind.FILE,
        "samples by which every choice is judged too, next to folds of the calibration samples",
        metavar="FILE",
        group=_SAMPLES,
    ),
    Option(
        "sensor",
        Kind.FILE,
        "a file that describes the raw values of a sensor; samples of whole numbers are such "
        "values",
        metavar="FILE",
        group=_SAMPLES,
    ),
    Option(
        "signature",
        Kind.TEXT,
        "the signature whose function is quantized, of a file with several (default: that of the "
        "first graph)",
        metavar="NAME",
        group=_NUMBERS,
    ),
    Option(
        "scales",
        Kind.WORD,
        "which scales tensors may have",
        default="free",
        choices={
            "free": "any",
            "power-of-two": "only such that requantizing is a shift",
        },
        group=_NUMBERS,
    ),
    Option(
        "activations",
        Kind.WORD,
        "bits of inputs, outputs and all that is computed",
        default="8",
        choices={
            "8": "int8",
            "16": "int16, with weights of int8",
        },
        group=_NUMBERS,
    ),
    Option(
        "int16",
        Kind.TEXT,
        "tensors that are int16 in a model of int8, by name, with commas between several; the "
        "operators that make and read them compute with int16",
        metavar="TENSOR,...",
        group=_NUMBERS,
    ),
    Option(
        "flash",
        Kind.NUMBER,
        "most bytes of constants of the compiled model: weights become int4 in the layers that "
        "lose least for each byte, and in no more than it takes (for a target: what its flash has "
        "room for)",
        least=1,
        metavar="BYTES",
        group=_NUMBERS,
    ),
    Option(
        "full_integer",
        Kind.SWITCH,
        "refuse operators that would stay float32",
        default=True,
        group=_NUMBERS,
    ),
)
QUANTIZE: Mapping[str, Option] = {option.name: option for option in _ROWS}
"""By name, in the order in which pages list them."""
